package dev.assay.frontend.tool;

import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;
import java.util.Map;

/** Something that an agent can call. */
public interface Tool {
  /** What agents are told about it. */
  ToolDescription description();

  /**
   * Does it.
   *
   * @param arguments as they came, of any type
   * @throws dev.assay.frontend.argument.BadArgumentException where an argument cannot be used
   */
  Reply call(CallContext call, Map<String, Object> arguments) throws InterruptedException;

  /** What is known of a call that a failure broke off, and what to do next: one sentence. */
  default String afterFailure(CallContext call) {
    return "Nothing was changed: trying again is safe.";
  }
}
