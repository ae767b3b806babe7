package dev.assay.operator.tool;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.operator.kubernetes.Counter;
import org.jspecify.annotations.Nullable;

/** Counts the calls of tools, by tool server and code, as Prometheus reads them. */
public final class CallMetrics {
  private final Counter calls =
      new Counter("assay_tool_calls_total", "Calls of tools that the code of runs made.");

  /** Code chooses the names of servers that it calls: unknown ones share a label. */
  static final String UNKNOWN_SERVER = "";

  private static final String OK = "OK";

  /**
   * Counts a call.
   *
   * @param server a tool server that exists, or {@link #UNKNOWN_SERVER}
   * @param code why it has no result; null if it has one
   */
  void count(String namespace, String server, @Nullable CallCode code, Sent sent) {
    String labels =
        "namespace=\"%s\",server=\"%s\",code=\"%s\",sent=\"%s\""
            .formatted(namespace, server, code == null ? OK : code.name(), sent.wireName());
    calls.add(labels, 1);
  }

  /** The counts in the text format of Prometheus. */
  public String text() {
    return calls.text();
  }
}
