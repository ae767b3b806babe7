package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Work that needs no code of the caller. */
public enum Builtin {
  /** Statistics of each column of a dataset. */
  @JsonProperty("profile")
  PROFILE("profile"),

  /** Some rows of a dataset. */
  @JsonProperty("sample")
  SAMPLE("sample"),

  /** The rows of an earlier run as a file of another format. */
  @JsonProperty("export")
  EXPORT("export"),

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  UNKNOWN("unknown");

  private final String wireName;

  Builtin(String wireName) {
    this.wireName = wireName;
  }

  /** The name in manifests. */
  public String wireName() {
    return wireName;
  }
}
