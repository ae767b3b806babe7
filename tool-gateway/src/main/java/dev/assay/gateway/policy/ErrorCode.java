package dev.assay.gateway.policy;

/** Why a call has no result, in the order in which reasons are found. */
public enum ErrorCode {
  /** The arguments are no JSON object. */
  INVALID_ARGS,
  /** The namespace has no tool server of that name. */
  SERVER_NOT_FOUND,
  /** The tool server is not enabled. */
  SERVER_DISABLED,
  /** The tool server is under review. */
  SERVER_QUARANTINED,
  /** The tool server has no tool of that name. */
  TOOL_NOT_FOUND,
  /** What the tool server lists of the tool is not what was approved. */
  TOOL_NOT_APPROVED,
  /** The run may not call tools of that tier. */
  PERMISSION_DENIED,
  /** The tool reports an error, or the server replies with one or with no result. */
  UPSTREAM_ERROR,
  /** The server cannot be reached. */
  UPSTREAM_UNAVAILABLE,
  /** The server did not reply in time. */
  UPSTREAM_TIMEOUT,
  /** The result is longer than the class of the run allows. */
  RESULT_TOO_LARGE,
  /** The call was made, and what became of it is not known or no longer kept. */
  OUTCOME_UNKNOWN
}
