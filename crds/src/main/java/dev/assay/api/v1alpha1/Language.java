package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;

/** What the code of a run is written in. */
public enum Language {
  @JsonProperty("python")
  PYTHON("python", ".py", "text/x-python"),

  /** One expression of Polars, or a script that assigns {@code result}. */
  @JsonProperty("polars")
  POLARS("polars", ".py", "text/x-python"),

  /** Statements of DuckDB; builtin work is of this language, too. */
  @JsonProperty("sql")
  SQL("sql", ".sql", "application/sql"),

  /** A script in V8, whose value is that of its last expression. */
  @JsonProperty("javascript")
  JAVASCRIPT("javascript", ".js", "text/javascript"),

  /** A script whose types are taken off and not checked. */
  @JsonProperty("typescript")
  TYPESCRIPT("typescript", ".ts", "application/typescript"),

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  UNKNOWN("unknown", ".txt", "text/plain");

  private final String wireName;
  private final String extension;
  private final String mediaType;

  Language(String wireName, String extension, String mediaType) {
    this.wireName = wireName;
    this.extension = extension;
    this.mediaType = mediaType;
  }

  /** Whether code is Python, where Polars is a library of it. */
  public boolean isPython() {
    return this == PYTHON || this == POLARS;
  }

  /** Whether code is a script in V8, which reads no datasets and no files. */
  public boolean isScript() {
    return this == JAVASCRIPT || this == TYPESCRIPT;
  }

  /** The name in manifests. */
  public String wireName() {
    return wireName;
  }

  /** What the name of a file with code ends in, with the dot. */
  public String extension() {
    return extension;
  }

  /** The media type of code. */
  public String mediaType() {
    return mediaType;
  }
}
