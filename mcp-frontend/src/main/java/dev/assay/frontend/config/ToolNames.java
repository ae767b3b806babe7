package dev.assay.frontend.config;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How the tools of a group are listed. Whatever is listed, they answer to all of their names. */
public enum ToolNames {
  /** {@code analytics_execute_query}, which every client takes. */
  @JsonProperty("underscore")
  UNDERSCORE,
  /** {@code analytics/execute_query}, which some clients refuse. */
  @JsonProperty("slash")
  SLASH,
  /** {@code execute_query}. */
  @JsonProperty("bare")
  BARE
}
