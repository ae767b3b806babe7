package dev.assay.operator.tool;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import org.jspecify.annotations.Nullable;

/** Counts the calls of tools, by tool server and code. */
public final class CallMetrics {
  private final MeterProvider<Counter> calls;

  /** Code chooses the names of servers that it calls: unknown ones share a label. */
  static final String UNKNOWN_SERVER = "";

  private static final String OK = "OK";

  CallMetrics(ProgramMetrics metrics) {
    this.calls =
        Counter.builder("assay_tool_calls_total")
            .description("Calls of tools that the code of runs made.")
            .withRegistry(metrics.registry());
  }

  /**
   * Counts a call.
   *
   * @param server a tool server that exists, or {@link #UNKNOWN_SERVER}
   * @param code why it has no result; null if it has one
   */
  void count(String namespace, String server, @Nullable CallCode code, Sent sent) {
    calls
        .withTags(
            "namespace",
            namespace,
            "server",
            server,
            "code",
            code == null ? OK : code.name(),
            "sent",
            sent.wireName())
        .increment();
  }
}
