package dev.assay.gateway.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts of calls and the time they took, by server and code, in the format of Prometheus. */
public final class UpstreamMetrics {
  /** The code of calls with a result. */
  public static final String OK = "OK";

  /** The server of calls that name one that there is not: names of scripts become no series. */
  public static final String UNKNOWN_SERVER = "";

  private final Map<String, LongAdder> calls = new ConcurrentSkipListMap<>();
  private final Map<String, LongAdder> millis = new ConcurrentSkipListMap<>();

  /** Counts a call. */
  public void count(String server, String code, long took) {
    String labels = "{server=\"" + server + "\",code=\"" + code + "\"}";
    calls.computeIfAbsent(labels, key -> new LongAdder()).increment();
    millis.computeIfAbsent(labels, key -> new LongAdder()).add(took);
  }

  /** All counts as text. */
  public String text(int inFlight) {
    StringBuilder text = new StringBuilder(512);
    text.append("# HELP assay_gateway_tool_calls_total Calls of tools that have ended.\n");
    text.append("# TYPE assay_gateway_tool_calls_total counter\n");
    calls.forEach(
        (labels, count) ->
            text.append("assay_gateway_tool_calls_total")
                .append(labels)
                .append(' ')
                .append(count)
                .append('\n'));
    text.append("# HELP assay_gateway_tool_call_seconds_total Time that these calls took.\n");
    text.append("# TYPE assay_gateway_tool_call_seconds_total counter\n");
    millis.forEach(
        (labels, sum) ->
            text.append("assay_gateway_tool_call_seconds_total")
                .append(labels)
                .append(' ')
                .append(sum.doubleValue() / 1000)
                .append('\n'));
    text.append("# HELP assay_gateway_tool_calls_in_flight Calls of tools that are being made.\n");
    text.append("# TYPE assay_gateway_tool_calls_in_flight gauge\n");
    text.append("assay_gateway_tool_calls_in_flight ").append(inFlight).append('\n');
    return text.toString();
  }
}
