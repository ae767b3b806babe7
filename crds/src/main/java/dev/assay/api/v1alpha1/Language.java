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
  SQL("sql");

  private final String wireName;

  Language(String wireName) {
    this.wireName = wireName;
  }

  /** The name in manifests. */
  public String wireName() {
    return wireName;
  }
}
