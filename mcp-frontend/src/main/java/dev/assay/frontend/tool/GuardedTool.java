package dev.assay.frontend.tool;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.frontend.argument.BadArgumentException;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallLog;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.config.ToolGroup;
import dev.assay.frontend.token.TokenEstimate;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Stopwatch;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A tool that always answers with text: whatever goes wrong inside becomes a sentence that says
 * nothing of our insides. Has the one log line of a call written.
 */
public final class GuardedTool {
  private static final Logger log = LoggerFactory.getLogger(GuardedTool.class);

  private final Tool tool;
  private final Set<ToolGroup> groups;
  private final int maxTokens;
  private final CallLog calls;

  /** A tool of all groups whose replies are as long as it makes them, and not counted. */
  public GuardedTool(Tool tool) {
    this(tool, ToolGroup.ALL, Integer.MAX_VALUE, new CallLog(ProgramMetrics.unread()));
  }

  /**
   * A tool.
   *
   * @param groups that it is in
   * @param maxTokens of a reply whose caller wants no other number of them
   * @param calls where each call is recorded
   */
  public GuardedTool(Tool tool, Set<ToolGroup> groups, int maxTokens, CallLog calls) {
    this.tool = tool;
    this.groups = groups;
    this.maxTokens = maxTokens;
    this.calls = calls;
  }

  /** The description that agents read. */
  public ToolDescription description() {
    return tool.description();
  }

  /** Whether agents are shown it. */
  public boolean isListed() {
    return tool.isListed();
  }

  /** Whether a call can create a run. */
  public boolean createsRuns() {
    return tool.createsRuns();
  }

  /** Whether it is in one of these groups. */
  public boolean isInOneOf(Set<ToolGroup> wanted) {
    return !Collections.disjoint(groups, wanted);
  }

  /**
   * Calls the tool.
   *
   * @param arguments as they came, of any type
   */
  public Reply call(CallContext call, Map<String, Object> arguments) {
    Stopwatch watch = new Stopwatch();
    Reply reply = answer(call, arguments);
    calls.ended(call, description().name(), NamedDataset.in(arguments), reply, watch.elapsed());
    return reply;
  }

  @SuppressWarnings("CatchingUnchecked") // The last line before the caller.
  private Reply answer(CallContext call, Map<String, Object> arguments) {
    try {
      // Before the arguments are read: those that were are not kept.
      boolean isAskedFor = asksForMore(arguments);
      Reply reply = tool.call(call, description().parameters().read(arguments));
      return isAskedFor ? reply : reply.mapText(this::bounded);
    } catch (BadArgumentException e) {
      return tool.failure(e.type(), e.text());
    } catch (ClusterException e) {
      return switch (e.kind()) {
        case REFUSED, LIMITED -> tool.failure("Refused", e.getMessage() + inRequest(call));
        case KEY_REUSED -> tool.failure("IdempotencyKeyReused", e.getMessage() + inRequest(call));
        case MISCONFIGURED -> tool.failure("InternalError", e.getMessage() + inRequest(call));
        case OVERLOADED, UNAVAILABLE -> tool.failure("Unavailable", e.getMessage() + andNow(call));
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return tool.failure("Unavailable", "this endpoint is being shut down" + andNow(call));
    } catch (RuntimeException e) {
      log.error("request {} failed", call.requestId(), e);
      return tool.failure("InternalError", "internal server error" + andNow(call));
    }
  }

  private boolean asksForMore(Map<String, Object> arguments) {
    return arguments.get(MaxTokens.NAME) instanceof Number wanted && wanted.intValue() > maxTokens;
  }

  /** Lists and descriptions: tools that show what code has printed leave out the middle of it. */
  private String bounded(String text) {
    // A line about what was left out may have come on top.
    long withLine = maxTokens + maxTokens / 20L;
    int end = TokenEstimate.prefix(text, (int) Math.min(Integer.MAX_VALUE, withLine));
    if (end == text.length()) {
      return text;
    }
    String shown =
        text.substring(0, Math.max(text.lastIndexOf('\n', end - 1), end / 2)).stripTrailing();
    return shown
        + "\n[and about "
        + TokenEstimate.of(text.substring(shown.length()))
        + " more tokens: ask for less]";
  }

  private String andNow(CallContext call) {
    return inRequest(call) + "\n" + tool.afterFailure(call);
  }

  private static String inRequest(CallContext call) {
    return " (request " + call.requestId() + ")";
  }
}
