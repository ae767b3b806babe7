package dev.assay.operator.tool;

import dev.assay.operator.runner.ProtocolViolationException;
import dev.assay.operator.runner.RunnerEvent.Batch;
import dev.assay.operator.runner.RunnerEvent.ToolCall;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the calls of a run come in their order, and that one call or one batch is open at a
 * time, which bounds what a Pod can have the operator remember. Used by several threads.
 */
final class CallSequence {
  /** The maximum length of the arguments of a batch. */
  private static final long MAX_BATCH_ARGS = 1024 * 1024;

  private final Set<Integer> open = new HashSet<>();

  /** The call whose outcome is being delivered; 0 if none is. */
  private int delivering;

  private @Nullable Batch batch;
  private long batchArgs;
  private int last;

  /**
   * Takes the next call.
   *
   * @throws ProtocolViolationException if it is not the next one, or too many are open
   */
  synchronized void take(ToolCall call) throws ProtocolViolationException {
    if (call.call() != last + 1) {
      throw new ProtocolViolationException(
          "tool call " + call.call() + " came after tool call " + last);
    }
    boolean continues = batch != null && batch.equals(call.batch());
    if (!continues) {
      begin(call);
    }
    byte[] args = call.args();
    batchArgs += args == null ? 0 : args.length;
    if (batchArgs > Math.max(MAX_BATCH_ARGS, ToolCall.MAX_ARGS)) {
      throw new ProtocolViolationException("the arguments of a batch of tool calls are too long");
    }
    last = call.call();
    if (args != null) {
      open.add(call.call());
    }
  }

  private void begin(ToolCall call) throws ProtocolViolationException {
    Batch next = call.batch();
    if (batch != null && last < batch.last()) {
      throw new ProtocolViolationException("tool call " + call.call() + " is not in its batch");
    }
    if (next != null && next.first() != call.call()) {
      throw new ProtocolViolationException("a batch of tool calls has no beginning");
    }
    // The Pod may have the outcome that it has not confirmed yet. It is one, so that a Pod that
    // confirms nothing has one call more, and not as many as it likes.
    if (open.stream().anyMatch(number -> number != delivering)) {
      throw new ProtocolViolationException(
          "tool call " + call.call() + " was made while others were open");
    }
    batch = next;
    batchArgs = 0;
  }

  /** The Pod may have the outcome of a call from now on. */
  synchronized void delivering(int call) {
    delivering = call;
  }

  /** The Pod has the outcome of a call, or takes none. */
  synchronized void answered(int call) {
    open.remove(call);
    delivering = 0;
  }
}
