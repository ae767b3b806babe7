package dev.assay.frontend.identity;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What a key may do with the runs of other callers of its namespace. */
public enum SharedRuns {
  /** Nothing: they look as if they did not exist. */
  @JsonProperty("none")
  NONE,
  /** Read them and what they left. */
  @JsonProperty("read")
  READ,
  /** Cancel and invalidate them, too. */
  @JsonProperty("all")
  ALL
}
