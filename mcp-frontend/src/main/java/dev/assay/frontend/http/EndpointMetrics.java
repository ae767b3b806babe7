package dev.assay.frontend.http;

import dev.assay.frontend.call.MethodKind;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Counts of requests and of what is in progress, in the text format of Prometheus. */
final class EndpointMetrics {
  private final Map<Integer, LongAdder> byStatus = new ConcurrentSkipListMap<>();
  private final ConnectionLimits connections;
  private final Slots slots;

  EndpointMetrics(ConnectionLimits connections, Slots slots) {
    this.connections = connections;
    this.slots = slots;
  }

  /** Counts the requests that a handler serves. */
  Handler of(Handler handler) {
    return new Handler.Wrapper(handler) {
      @Override
      public boolean handle(Request request, Response response, Callback callback)
          throws Exception {
        Request.addCompletionListener(request, failure -> count(response.getStatus()));
        return super.handle(request, response, callback);
      }
    };
  }

  private void count(int status) {
    byStatus.computeIfAbsent(status, key -> new LongAdder()).increment();
  }

  /** All counts as text. */
  String text() {
    String requests =
        byStatus.entrySet().stream()
            .map(
                e ->
                    "assay_frontend_requests_total{status=\"%d\"} %d\n"
                        .formatted(e.getKey(), e.getValue().sum()))
            .collect(Collectors.joining());
    String inProgress =
        Arrays.stream(MethodKind.values())
            .filter(MethodKind::isLasting)
            .map(
                kind ->
                    "assay_frontend_in_progress{kind=\"%s\"} %d\n"
                        .formatted(kind.name().toLowerCase(Locale.ROOT), slots.inProgress(kind)))
            .collect(Collectors.joining());
    return """
        # HELP assay_frontend_requests_total Requests that have ended, by HTTP status.
        # TYPE assay_frontend_requests_total counter
        %s# HELP assay_frontend_in_progress Calls, outputs and loads of datasets in progress.
        # TYPE assay_frontend_in_progress gauge
        %s# HELP assay_frontend_serving Connections that serve a request with a valid key.
        # TYPE assay_frontend_serving gauge
        assay_frontend_serving %d
        # HELP assay_frontend_connections Open connections.
        # TYPE assay_frontend_connections gauge
        assay_frontend_connections %d
        """
        .formatted(
            requests, inProgress, connections.serving(), connections.getNetworkConnectionCount());
  }
}
