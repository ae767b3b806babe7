package dev.assay.frontend.tool;

import dev.assay.frontend.argument.Arguments;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;

/** Something that an agent can call. */
public interface Tool {
  /** The description that agents read. */
  ToolDescription description();

  /** Whether agents are shown it: a tool that is switched off says so to those who call it. */
  default boolean isListed() {
    return true;
  }

  /** Whether a call can create a run. */
  default boolean createsRuns() {
    return false;
  }

  /**
   * Does it.
   *
   * @param arguments of the parameters that the description declares
   * @throws dev.assay.frontend.argument.BadArgumentException where an argument cannot be used
   */
  Reply call(CallContext call, Arguments arguments) throws InterruptedException;

  /**
   * The reply to a call that was not carried out.
   *
   * @param type one word, such as the exception that Python programmers know
   * @param message what happened, and what to do
   */
  default Reply failure(String type, String message) {
    return Reply.executionError(type, message);
  }

  /** What is known of a call that a failure broke off, and what to do next: one sentence. */
  default String afterFailure(CallContext call) {
    return "Nothing was changed: retrying is safe.";
  }
}
