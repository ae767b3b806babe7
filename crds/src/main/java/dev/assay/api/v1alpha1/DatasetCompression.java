package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;

/** How a source is compressed. */
public enum DatasetCompression {
  @JsonProperty("gzip")
  GZIP("gzip"),
  /** With exactly one file inside. */
  @JsonProperty("zip")
  ZIP("zip"),

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  UNKNOWN("unknown");

  private final String wireName;

  DatasetCompression(String wireName) {
    this.wireName = wireName;
  }

  /** The name in manifests and in the runner protocol. */
  public String wireName() {
    return wireName;
  }
}
