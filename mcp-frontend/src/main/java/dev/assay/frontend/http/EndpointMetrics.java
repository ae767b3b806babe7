package dev.assay.frontend.http;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.frontend.call.MethodKind;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Counts of requests and of what is in progress. */
final class EndpointMetrics {
  private final MeterProvider<Counter> requests;
  private final MeterProvider<Counter> refused;
  private final AtomicInteger streams = new AtomicInteger();

  EndpointMetrics(ProgramMetrics metrics, ConnectionLimits connections, Slots slots) {
    MeterRegistry registry = metrics.registry();
    this.requests =
        Counter.builder("assay_frontend_requests_total")
            .description("Requests that have ended, by HTTP status.")
            .withRegistry(registry);
    this.refused =
        Counter.builder("assay_frontend_refused_total")
            .description("Requests that a limit has refused.")
            .withRegistry(registry);
    Arrays.stream(MethodKind.values())
        .filter(MethodKind::isLasting)
        .forEach(
            kind ->
                Gauge.builder("assay_frontend_in_progress", () -> slots.inProgress(kind))
                    .description("Calls, outputs and loads of datasets in progress.")
                    .tag("kind", lower(kind))
                    .register(registry));
    Gauge.builder("assay_frontend_serving", connections::serving)
        .description("Connections that serve a request with a valid key.")
        .register(registry);
    Gauge.builder("assay_frontend_connections", connections::getNetworkConnectionCount)
        .description("Open connections.")
        .register(registry);
    Gauge.builder("assay_frontend_streams", streams::get)
        .description("Answers by MCP that are streams of events.")
        .register(registry);
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** Counts the requests that a handler serves. */
  Handler of(Handler handler) {
    return new Handler.Wrapper(handler) {
      @Override
      public boolean handle(Request request, Response response, Callback callback)
          throws Exception {
        Request.addCompletionListener(request, failure -> ended(response.getStatus()));
        return super.handle(request, response, callback);
      }
    };
  }

  private void ended(int status) {
    requests.withTag("status", Integer.toString(status)).increment();
  }

  /** A limit has refused a request. */
  void refused(RefusedBy limit) {
    refused.withTag("limit", lower(limit)).increment();
  }

  /** An answer that is a stream begins. */
  void streamBegins() {
    streams.incrementAndGet();
  }

  /** It has ended. */
  void streamEnds() {
    streams.decrementAndGet();
  }
}
