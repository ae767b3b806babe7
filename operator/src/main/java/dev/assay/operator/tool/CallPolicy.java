package dev.assay.operator.tool;

import dev.assay.api.toolcall.CallCode;
import dev.assay.operator.runner.RunnerEvent.ToolCall;
import java.util.Optional;

/**
 * Decides what becomes of a call, by what the run says. What the tool server says is decided by the
 * gateway. The order of the checks is part of the interface: code that calls a server that it may
 * not call reads the same whether the server exists or not.
 */
final class CallPolicy {
  private CallPolicy() {}

  /** A decision about a call. */
  sealed interface Decision {}

  /** The call may be sent. */
  record Allowed() implements Decision {}

  /** Whether it may be sent depends on calls that are in flight: one that is not sent is free. */
  record Undecided() implements Decision {}

  /**
   * The call is not sent.
   *
   * @param terminate whether the code ends
   */
  record Refused(CallCode code, String message, boolean terminate) implements Decision {}

  /**
   * The calls before this one.
   *
   * @param sent those that were sent, or may have been
   * @param inFlight those of which that is not known yet
   * @param excess the {@link #group} of the first call above the budget; empty if there was none
   */
  record Usage(int sent, int inFlight, Optional<Integer> excess) {}

  /** What counts as one excess: a call by itself, or all of a batch. */
  static int group(ToolCall call) {
    return call.batch() == null ? call.call() : call.batch().first();
  }

  /** Decides about a call. */
  static Decision decide(ToolCall call, RunToolPolicy policy, Usage usage) {
    if (call.call() > policy.classMaxCalls()) {
      return new Refused(
          CallCode.MAX_TOOL_CALLS_EXCEEDED,
          "The script made more than %d tool calls, which is the limit of its class"
              .formatted(policy.classMaxCalls()),
          /* terminate= */ true);
    }
    Optional<String> invalid = CallArguments.problem(call.args());
    if (invalid.isPresent()) {
      return refused(CallCode.INVALID_ARGS, invalid.get());
    }
    int maxCalls = policy.maxCalls();
    if (maxCalls > 0 && usage.sent() + usage.inFlight() >= maxCalls) {
      return usage.sent() >= maxCalls ? excess(call, maxCalls, usage) : new Undecided();
    }
    if (!policy.allowed().contain(call.server())) {
      return refused(
          CallCode.SERVER_NOT_ALLOWED,
          "Server '%s' is not in allowed_servers of this execution".formatted(call.server()));
    }
    if (!policy.offered().contain(call.server()) || !policy.granted().contain(call.server())) {
      return refused(
          CallCode.ACCESS_DENIED,
          "This execution may not call server '%s'".formatted(call.server()));
    }
    return new Allowed();
  }

  private static Refused excess(ToolCall call, int maxCalls, Usage usage) {
    boolean isSecond = usage.excess().filter(first -> first != group(call)).isPresent();
    return new Refused(
        CallCode.MAX_TOOL_CALLS_EXCEEDED,
        "The execution may make at most %d tool calls".formatted(maxCalls)
            + (isSecond ? "" : "; the next call above this limit ends it"),
        isSecond);
  }

  private static Refused refused(CallCode code, String message) {
    return new Refused(code, message, /* terminate= */ false);
  }
}
