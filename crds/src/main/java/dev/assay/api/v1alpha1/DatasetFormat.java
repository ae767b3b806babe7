package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How the bytes of a source are read; each by pandas with its own defaults. */
public enum DatasetFormat {
  @JsonProperty("csv")
  CSV("csv"),
  /** An array of records. */
  @JsonProperty("json")
  JSON("json"),
  @JsonProperty("parquet")
  PARQUET("parquet");

  private final String wireName;

  DatasetFormat(String wireName) {
    this.wireName = wireName;
  }

  /** The name in manifests, in the runner protocol and as a file ending. */
  public String wireName() {
    return wireName;
  }
}
