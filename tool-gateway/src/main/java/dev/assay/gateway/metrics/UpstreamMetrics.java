package dev.assay.gateway.metrics;

import dev.assay.api.metrics.ProgramMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import java.util.function.IntSupplier;

/** Counts of calls and the time they took, by server and code. */
public final class UpstreamMetrics {
  /** The code of calls with a result. */
  public static final String OK = "OK";

  /** The server of calls that name one that there is not: names of scripts become no series. */
  public static final String UNKNOWN_SERVER = "";

  private final MeterProvider<Counter> calls;
  private final MeterProvider<Counter> seconds;

  /**
   * Counts nothing yet.
   *
   * @param inFlight how many calls are being made
   */
  public UpstreamMetrics(ProgramMetrics metrics, IntSupplier inFlight) {
    this.calls =
        Counter.builder("assay_gateway_tool_calls_total")
            .description("Calls of tools that have ended.")
            .withRegistry(metrics.registry());
    this.seconds =
        Counter.builder("assay_gateway_tool_call_seconds_total")
            .description("Time that these calls took.")
            .withRegistry(metrics.registry());
    Gauge.builder("assay_gateway_tool_calls_in_flight", inFlight::getAsInt)
        .description("Calls of tools that are being made.")
        .register(metrics.registry());
  }

  /** Counts that nobody reads. */
  public static UpstreamMetrics unread() {
    return new UpstreamMetrics(ProgramMetrics.unread(), () -> 0);
  }

  /**
   * Counts a call.
   *
   * @param millis how long it took
   */
  public void count(String server, String code, long millis) {
    calls.withTags("server", server, "code", code).increment();
    seconds.withTags("server", server, "code", code).increment(millis / 1000.0);
  }
}
