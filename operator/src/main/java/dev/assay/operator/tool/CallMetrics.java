package dev.assay.operator.tool;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Counts the calls of tools, by tool server and code, as Prometheus reads them. */
public final class CallMetrics {
  private static final String NAME = "assay_tool_calls_total";

  /** Code chooses the names of servers that it calls: unknown ones share a label. */
  static final String UNKNOWN_SERVER = "";

  private static final String OK = "OK";
  private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

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
    counts.computeIfAbsent(labels, unused -> new LongAdder()).increment();
  }

  /** The counts in the text format of Prometheus. */
  public String text() {
    StringBuilder text =
        new StringBuilder()
            .append("# HELP " + NAME + " Calls of tools that the code of runs made.\n")
            .append("# TYPE " + NAME + " counter\n");
    counts.forEach(
        (labels, count) ->
            text.append(NAME)
                .append('{')
                .append(labels)
                .append("} ")
                .append(count.sum())
                .append('\n'));
    return text.toString();
  }
}
