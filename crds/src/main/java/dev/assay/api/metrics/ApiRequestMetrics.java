package dev.assay.api.metrics;

import dev.assay.api.kubernetes.RequestObserver;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;

/** Counts the requests to the API server by method and class of status, with their time. */
public final class ApiRequestMetrics implements RequestObserver {
  private static final String FAILED = "none";

  private final MeterProvider<Timer> requests;

  public ApiRequestMetrics(ProgramMetrics metrics) {
    this.requests =
        Timer.builder("assay_api_request_seconds")
            .description("Requests to the API server but watches, until their answers begin.")
            .serviceLevelObjectives(
                Duration.ofMillis(10),
                Duration.ofMillis(50),
                Duration.ofMillis(250),
                Duration.ofSeconds(1),
                Duration.ofSeconds(5))
            .withRegistry(metrics.registry());
  }

  @Override
  public void ended(String method, int status, Duration took) {
    requests
        .withTags("method", method.toLowerCase(Locale.ROOT), "status", statusClass(status))
        .record(took);
  }

  private static String statusClass(int status) {
    return status <= 0 ? FAILED : status / 100 + "xx";
  }
}
