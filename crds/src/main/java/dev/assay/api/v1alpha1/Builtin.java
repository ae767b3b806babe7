package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Work that needs no code of the caller. */
public enum Builtin {
  /** Statistics of each column of a dataset. */
  @JsonProperty("profile")
  PROFILE("profile"),

  /** Some rows of a dataset. */
  @JsonProperty("sample")
  SAMPLE("sample");

  private final String wireName;

  Builtin(String wireName) {
    this.wireName = wireName;
  }

  /** The name in manifests. */
  public String wireName() {
    return wireName;
  }
}
