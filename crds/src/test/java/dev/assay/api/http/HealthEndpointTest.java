package dev.assay.api.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HealthEndpointTest {
  private static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    client.shutdownNow();
  }

  @Test
  void theCountsOfCallsAreServedAsPrometheusReadsThem() throws Exception {
    String counts = "# TYPE assay_calls_total counter\nassay_calls_total{server=\"crm\"} 1\n";
    try (HealthEndpoint endpoint =
        new HealthEndpoint(ANY_PORT, () -> true, () -> true, () -> counts)) {
      HttpResponse<String> response = get(endpoint.address().getPort(), "/metrics");
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
    try (HealthEndpoint endpoint = new HealthEndpoint(ANY_PORT, alive::get, ready::get, () -> "")) {
      assertThat(get(endpoint.address().getPort(), "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(endpoint.address().getPort(), "/readyz").statusCode()).isEqualTo(503);
      alive.set(false);
      ready.set(true);
      assertThat(get(endpoint.address().getPort(), "/healthz").statusCode()).isEqualTo(503);
      assertThat(get(endpoint.address().getPort(), "/readyz").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void theBodyOfReadyzListsTheProblems() throws Exception {
    try (HealthEndpoint endpoint =
        new HealthEndpoint(
            ANY_PORT, () -> true, () -> true, () -> List.of("one", "two"), () -> "")) {
      HttpResponse<String> response = get(endpoint.address().getPort(), "/readyz");
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.body()).isEqualTo("one\ntwo\n");
    }
  }

  @Test
  void requestsWhoseHeadsDoNotArriveHoldUpNoProbe() throws Exception {
    try (HealthEndpoint endpoint = new HealthEndpoint(ANY_PORT, () -> true, () -> true, () -> "")) {
      List<Socket> halfSent = new ArrayList<>();
      try {
        for (int i = 0; i < 20; i++) {
          Socket socket = new Socket(endpoint.address().getAddress(), endpoint.address().getPort());
          halfSent.add(socket);
          socket.getOutputStream().write("GET /healthz HT".getBytes(US_ASCII));
        }
        assertThat(get(endpoint.address().getPort(), "/healthz").statusCode()).isEqualTo(200);
      } finally {
        for (Socket socket : halfSent) {
          socket.close();
        }
      }
    }
  }

  private HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    return client.send(
        HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
