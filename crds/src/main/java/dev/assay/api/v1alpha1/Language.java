package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What the code of a run is written in. */
public enum Language {
  @JsonProperty("python")
  PYTHON("python"),

  /** One expression of Polars, or a script that assigns {@code result}. */
  @JsonProperty("polars")
  POLARS("polars"),

  /** Statements of DuckDB; builtin work is of this language, too. */
  @JsonProperty("sql")
  SQL("sql"),

  /** A script in V8, whose value is that of its last expression. */
  @JsonProperty("javascript")
  JAVASCRIPT("javascript"),

  /** A script whose types are taken off and not checked. */
  @JsonProperty("typescript")
  TYPESCRIPT("typescript");

  private final String wireName;

  Language(String wireName) {
    this.wireName = wireName;
  }

  /** Whether code is a script in V8, which reads no datasets and no files. */
  public boolean isScript() {
    return this == JAVASCRIPT || this == TYPESCRIPT;
  }

  /** The name in manifests. */
  public String wireName() {
    return wireName;
  }
}
