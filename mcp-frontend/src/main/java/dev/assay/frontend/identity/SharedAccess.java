package dev.assay.frontend.identity;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What a key may do with the runs and datasets of other callers of its namespace. */
public enum SharedAccess {
  /** Read datasets. Runs look as if they did not exist. */
  @JsonProperty("none")
  NONE,
  /** Read datasets, and runs and what they left. */
  @JsonProperty("read")
  READ,
  /** Cancel and invalidate runs, and replace and delete datasets, too. */
  @JsonProperty("all")
  ALL
}
