package dev.assay.operator.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.tool.CallMetrics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HealthEndpointTest {
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    client.shutdownNow();
  }

  @Test
  void theCountsOfCallsAreServedAsPrometheusReadsThem() throws Exception {
    String counts = new CallMetrics().text() + "assay_tool_calls_total{server=\"crm\"} 1\n";
    try (HealthEndpoint endpoint = new HealthEndpoint(0, () -> true, () -> true, () -> counts)) {
      HttpResponse<String> response = get(endpoint.port(), "/metrics");
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.headers().firstValue("Content-Type"))
          .contains("text/plain; version=0.0.4");
      assertThat(response.body()).isEqualTo(counts);
    }
  }

  @Test
  void whetherTheProcessIsAliveAndWhetherItIsReadyAreStatuses() throws Exception {
    AtomicBoolean alive = new AtomicBoolean(true);
    AtomicBoolean ready = new AtomicBoolean();
    try (HealthEndpoint endpoint = new HealthEndpoint(0, alive::get, ready::get, () -> "")) {
      assertThat(get(endpoint.port(), "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(endpoint.port(), "/readyz").statusCode()).isEqualTo(503);
      alive.set(false);
      ready.set(true);
      assertThat(get(endpoint.port(), "/healthz").statusCode()).isEqualTo(503);
      assertThat(get(endpoint.port(), "/readyz").statusCode()).isEqualTo(200);
    }
  }

  private HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }
}
