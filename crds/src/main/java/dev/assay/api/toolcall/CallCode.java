package dev.assay.api.toolcall;

import java.util.Optional;

/**
 * Why a call of a tool has no result, in the order in which reasons are found: the {@code
 * error.code} that code reads.
 */
public enum CallCode {
  /** The arguments are no JSON object, or are too long. */
  INVALID_ARGS,
  /** The run has made as many calls as it may. */
  MAX_TOOL_CALLS_EXCEEDED,
  /** The run names the servers that it calls, and not this one. */
  SERVER_NOT_ALLOWED,
  /** The API key or the class of the run does not grant the server. */
  ACCESS_DENIED,
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
  /** The run may not call tools with that permission. */
  PERMISSION_DENIED,
  /** The tool reports an error, or the server replies with one or with no result. */
  UPSTREAM_ERROR,
  /** The server or the tool gateway cannot be reached, or has no memory for a response now. */
  UPSTREAM_UNAVAILABLE,
  /** The server did not reply in time. */
  UPSTREAM_TIMEOUT,
  /** The result is longer than the class of the run allows. */
  RESULT_TOO_LARGE,
  /** The call may have been made, and what became of it is not known or no longer kept. */
  OUTCOME_UNKNOWN;

  /** The code with a name; empty if there is none. */
  public static Optional<CallCode> of(String name) {
    for (CallCode code : values()) {
      if (code.name().equals(name)) {
        return Optional.of(code);
      }
    }
    return Optional.empty();
  }

  /** Whether what is known of the tools of a server may be out of date. */
  public boolean concernsDefinition() {
    return this == TOOL_NOT_APPROVED || this == TOOL_NOT_FOUND;
  }
}
