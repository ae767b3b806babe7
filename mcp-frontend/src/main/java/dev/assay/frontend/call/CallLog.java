package dev.assay.frontend.call;

import dev.assay.api.metrics.ProgramMetrics;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes the one log line of a call, which has no code, argument or output, and counts it. */
public final class CallLog {
  private static final Logger log = LoggerFactory.getLogger(CallLog.class);

  private final CallMetrics metrics;

  public CallLog(ProgramMetrics metrics) {
    this.metrics = new CallMetrics(metrics);
  }

  /** A call by MCP has ended. */
  public void ended(CallContext call, String tool, Reply reply, Duration took) {
    ended(call, tool, reply.outcome(), took);
    metrics.replied(tool, reply);
  }

  /**
   * A call has ended.
   *
   * @param outcome one word
   */
  public void ended(CallContext call, String tool, String outcome, Duration took) {
    log.info("{}", line(call, tool, outcome, took));
    metrics.ended(tool, outcome, took);
  }

  static String line(CallContext call, String tool, String outcome, Duration took) {
    return "request=%s caller=%s namespace=%s tool=%s %s outcome=%s ms=%d"
        .formatted(
            call.requestId(),
            call.identity().caller(),
            call.identity().namespace(),
            tool,
            of(call.run().get()),
            outcome,
            took.toMillis());
  }

  private static String of(@Nullable CallRun run) {
    String digest = run == null ? null : run.codeSha256();
    String code =
        run == null || digest == null
            ? "code_sha256=- code_bytes=-"
            : "code_sha256=" + digest + " code_bytes=" + run.codeBytes();
    return "run=" + (run == null ? "-" : run.name()) + " " + code;
  }
}
