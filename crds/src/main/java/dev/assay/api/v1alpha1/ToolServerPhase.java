package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;

/** Whether the tools of a server can be called. */
public enum ToolServerPhase {
  /** The server has not been asked for its tools yet. */
  Pending,

  /** The server lists its tools. Those that are approved can be called. */
  Connected,

  /** The server cannot be reached, or does not list its tools. The message says why. */
  Unavailable,

  /** {@code enabled} is false. */
  Disabled,

  /** {@code quarantined} is true. Its tools are listed, for review, and none can be called. */
  Quarantined,

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  Unknown
}
