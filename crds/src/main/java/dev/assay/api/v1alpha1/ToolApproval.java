package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;

/** Whether the definition that a server lists of a tool may be called. */
public enum ToolApproval {
  /** It is the approved one. */
  Approved,

  /** No definition of this tool has been approved. */
  Pending,

  /** Another definition of this tool has been approved. */
  Changed,

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  Unknown
}
