package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The kinds of chart. */
public enum ChartType {
  @JsonProperty("bar")
  BAR("bar"),

  @JsonProperty("line")
  LINE("line"),

  @JsonProperty("scatter")
  SCATTER("scatter"),

  @JsonProperty("histogram")
  HISTOGRAM("histogram"),

  @JsonProperty("heatmap")
  HEATMAP("heatmap"),

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  UNKNOWN("unknown");

  private final String wireName;

  ChartType(String wireName) {
    this.wireName = wireName;
  }

  /** The name in manifests. */
  public String wireName() {
    return wireName;
  }
}
