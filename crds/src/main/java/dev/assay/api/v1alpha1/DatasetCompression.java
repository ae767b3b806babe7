package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How a source is compressed. */
public enum DatasetCompression {
  @JsonProperty("gzip")
  GZIP("gzip"),
  /** With exactly one file inside. */
  @JsonProperty("zip")
  ZIP("zip");

  private final String wireName;

  DatasetCompression(String wireName) {
    this.wireName = wireName;
  }

  /** The name in manifests and in the runner protocol. */
  public String wireName() {
    return wireName;
  }
}
