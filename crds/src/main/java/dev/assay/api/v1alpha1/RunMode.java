package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;

/** What code of a run finds around it. */
public enum RunMode {
  /** Python with its packages, and the datasets. */
  @JsonProperty("legacy")
  LEGACY("legacy"),

  /** In addition the analytics library; the code is checked by the guard before it is started. */
  @JsonProperty("code")
  CODE("code"),

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  UNKNOWN("unknown");

  private final String wireName;

  RunMode(String wireName) {
    this.wireName = wireName;
  }

  /** The name in manifests. */
  public String wireName() {
    return wireName;
  }
}
