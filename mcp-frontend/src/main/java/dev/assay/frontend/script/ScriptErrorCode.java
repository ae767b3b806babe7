package dev.assay.frontend.script;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Why a script has no value. The names are what callers read. */
public enum ScriptErrorCode {
  /** Scripts are switched off. */
  FEATURE_DISABLED,
  /** An argument of the tool is missing, unknown, of the wrong type or out of bounds. */
  INVALID_ARGS,
  /** The same of a field of a request by REST. */
  INVALID_REQUEST,
  /** There is no such language, or the stored script is of another one. */
  INVALID_LANGUAGE,
  /** An option is unknown, of the wrong type or out of bounds. */
  INVALID_OPTIONS,
  /** There is no stored script of this name. */
  SCRIPT_NOT_FOUND,
  /** It is not valid TypeScript; no part of it was run. */
  TRANSPILE_ERROR,
  /** It does not compile; no part of it was run. */
  SYNTAX_ERROR,
  /** It threw, or it awaits a promise that never settles. */
  RUNTIME_ERROR,
  /** Its value is not JSON. */
  SERIALIZATION_ERROR,
  /** It ran longer than its limit. */
  TIMEOUT,
  /** It called more tools than it may, and went on after it was told so. */
  MAX_TOOL_CALLS_EXCEEDED,
  /** It filled the memory of its class. */
  MEMORY_EXCEEDED,
  /** It was stopped on request. */
  CANCELLED,
  /** It goes on, and the call has been answered before its end. */
  IN_PROGRESS,
  /** It did not run to completion, for a cause outside the script. */
  EXECUTION_FAILED;

  /** The code that a worker reports by its name; empty where it is none. */
  static Optional<ScriptErrorCode> reported(@Nullable String name) {
    return Arrays.stream(values()).filter(code -> code.name().equals(name)).findFirst();
  }
}
