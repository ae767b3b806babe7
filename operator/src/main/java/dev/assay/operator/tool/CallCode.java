package dev.assay.operator.tool;

import java.util.Optional;

/** Why a call of a tool has no result: the {@code error.code} that code reads. */
public enum CallCode {
  INVALID_ARGS,
  MAX_TOOL_CALLS_EXCEEDED,
  SERVER_NOT_ALLOWED,
  ACCESS_DENIED,
  SERVER_NOT_FOUND,
  SERVER_DISABLED,
  SERVER_QUARANTINED,
  TOOL_NOT_FOUND,
  TOOL_NOT_APPROVED,
  PERMISSION_DENIED,
  UPSTREAM_ERROR,
  UPSTREAM_UNAVAILABLE,
  UPSTREAM_TIMEOUT,
  RESULT_TOO_LARGE,
  OUTCOME_UNKNOWN;

  /** The code with a name; empty if there is none. */
  static Optional<CallCode> of(String name) {
    for (CallCode code : values()) {
      if (code.name().equals(name)) {
        return Optional.of(code);
      }
    }
    return Optional.empty();
  }

  /** Whether what is known of the tools of a server may be out of date. */
  boolean concernsDefinition() {
    return this == TOOL_NOT_APPROVED || this == TOOL_NOT_FOUND;
  }
}
