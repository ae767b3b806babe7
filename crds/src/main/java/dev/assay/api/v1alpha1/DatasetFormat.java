package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;

/** How the bytes of a source are read; each by pandas with its own defaults. */
public enum DatasetFormat {
  @JsonProperty("csv")
  CSV("csv", true),
  /** CSV with tabs. */
  @JsonProperty("tsv")
  TSV("tsv", true),
  /** An array of records. */
  @JsonProperty("json")
  JSON("json", true),
  /** One record a line. */
  @JsonProperty("ndjson")
  NDJSON("ndjson", true),
  @JsonProperty("parquet")
  PARQUET("parquet", false),
  @JsonProperty("feather")
  FEATHER("feather", false),
  /** One sheet of a workbook. */
  @JsonProperty("excel")
  EXCEL("excel", false),

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  UNKNOWN("unknown", false);

  private final String wireName;
  private final boolean text;

  DatasetFormat(String wireName, boolean text) {
    this.wireName = wireName;
    this.text = text;
  }

  /** The name in manifests and in the runner protocol. */
  public String wireName() {
    return wireName;
  }

  /** Whether it is text, and so can be part of a Dataset. */
  public boolean isText() {
    return text;
  }
}
