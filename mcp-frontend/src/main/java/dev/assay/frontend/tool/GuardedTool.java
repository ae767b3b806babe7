package dev.assay.frontend.tool;

import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Stopwatch;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A tool that always answers with text: whatever goes wrong inside becomes a sentence that says
 * nothing of our insides. Writes the one log line of a call, which has neither code nor output.
 */
public final class GuardedTool {
  private static final Logger log = LoggerFactory.getLogger(GuardedTool.class);

  private final Tool tool;

  public GuardedTool(Tool tool) {
    this.tool = tool;
  }

  /** The description that agents read. */
  public ToolDescription description() {
    return tool.description();
  }

  /**
   * Calls the tool.
   *
   * @param arguments as they came, of any type
   */
  public Reply call(CallContext call, Map<String, Object> arguments) {
    Stopwatch watch = new Stopwatch();
    Reply reply = answer(call, arguments);
    String run = call.run().get();
    log.info(
        "request={} caller={} namespace={} tool={} run={} outcome={} ms={}",
        call.requestId(),
        call.identity().caller(),
        call.identity().namespace(),
        description().name(),
        run == null ? "-" : run,
        reply.outcome(),
        watch.elapsed().toMillis());
    return reply;
  }

  @SuppressWarnings("CatchingUnchecked") // The last line before the caller.
  private Reply answer(CallContext call, Map<String, Object> arguments) {
    try {
      return tool.call(call, description().parameters().read(arguments));
    } catch (BadArgumentException e) {
      return Reply.executionError(e.type(), e.text());
    } catch (ClusterException e) {
      return switch (e.kind()) {
        case REFUSED -> Reply.executionError("Refused", e.getMessage() + inRequest(call));
        case MISCONFIGURED ->
            Reply.executionError("InternalError", e.getMessage() + inRequest(call));
        case OVERLOADED, UNAVAILABLE ->
            Reply.executionError("Unavailable", e.getMessage() + andNow(call));
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Reply.executionError("Unavailable", "this endpoint is being shut down" + andNow(call));
    } catch (RuntimeException e) {
      log.error("request {} failed", call.requestId(), e);
      return Reply.executionError(
          "InternalError", "something went wrong on our side" + andNow(call));
    }
  }

  private String andNow(CallContext call) {
    return inRequest(call) + "\n" + tool.afterFailure(call);
  }

  private static String inRequest(CallContext call) {
    return " (request " + call.requestId() + ")";
  }
}
