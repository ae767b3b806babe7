package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** What code of a run finds around it. */
public enum RunMode {
  /** Python with its packages, and the datasets. */
  @JsonProperty("standard")
  STANDARD("standard"),

  /** The former name of standard. Version 0.2 reads it, and writes standard. */
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

  /** The modes by their present names. */
  public static List<RunMode> current() {
    return List.of(STANDARD, CODE);
  }

  /** The same mode by its present name. */
  public RunMode normalized() {
    return this == LEGACY ? STANDARD : this;
  }

  /** The name in manifests. */
  public String wireName() {
    return wireName;
  }
}
