package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;

/** What a tool may do. */
public enum ToolPermission {
  /** It changes nothing. */
  @JsonProperty("read")
  READ("read"),

  /** It adds or changes something. */
  @JsonProperty("write")
  WRITE("write"),

  /** It may delete or overwrite something. */
  @JsonProperty("destructive")
  DESTRUCTIVE("destructive"),

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  UNKNOWN("unknown");

  private final String wireName;

  ToolPermission(String wireName) {
    this.wireName = wireName;
  }

  /** The name in manifests. */
  public String wireName() {
    return wireName;
  }
}
