package dev.assay.api.v1alpha1;

/** Whether the definition that a server lists of a tool may be called. */
public enum ToolApproval {
  /** It is the approved one. */
  Approved,

  /** No definition of this tool has been approved. */
  Pending,

  /** Another definition of this tool has been approved. */
  Changed
}
