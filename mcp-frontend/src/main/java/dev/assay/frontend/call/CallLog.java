package dev.assay.frontend.call;

import dev.assay.api.metrics.ProgramMetrics;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/** Writes the one line of a call to the {@link AuditLog}, and counts it. */
public final class CallLog {
  private final CallMetrics metrics;

  public CallLog(ProgramMetrics metrics) {
    this.metrics = new CallMetrics(metrics);
  }

  /**
   * A call by MCP has ended.
   *
   * @param dataset that its arguments name; null for none
   */
  public void ended(
      CallContext call, String tool, @Nullable String dataset, Reply reply, Duration took) {
    AuditLog.write(Level.INFO, fields(call, tool, dataset, reply.outcome(), took));
    metrics.ended(tool, reply.outcome(), took);
    metrics.replied(tool, reply);
  }

  /**
   * A call by REST has ended.
   *
   * @param outcome one word
   */
  public void ended(CallContext call, String tool, String outcome, Duration took) {
    AuditLog.write(Level.INFO, fields(call, tool, null, outcome, took));
    metrics.ended(tool, outcome, took);
  }

  static Map<String, @Nullable Object> fields(
      CallContext call, String tool, @Nullable String dataset, String outcome, Duration took) {
    CallRun run = call.run().get();
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("request", call.requestId());
    fields.put("trace", call.traceId());
    fields.put("caller", call.identity().caller());
    fields.put("namespace", call.identity().namespace());
    fields.put("tool", tool);
    fields.put("datasets", datasets(run, dataset));
    if (run != null) {
      fields.put("run", run.name());
      fields.put("class", run.className());
      fields.put("code_sha256", run.codeSha256());
      fields.put("code_bytes", run.codeSha256() == null ? null : run.codeBytes());
    }
    fields.put("outcome", outcome);
    fields.put("ms", took.toMillis());
    return fields;
  }

  private static @Nullable List<String> datasets(@Nullable CallRun run, @Nullable String dataset) {
    if (run != null && !run.datasets().isEmpty()) {
      return run.datasets();
    }
    return dataset == null ? null : List.of(dataset);
  }
}
