package dev.assay.operator.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.operator.output.FakeOutputStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoredBytesHandlerTest {
  private static final String PATH = "/internal/v1/namespaces/team-a/runs/abc1/value";

  private final FakeOutputStore outputs = new FakeOutputStore();
  private final HttpServer server;
  private final HttpClient client = HttpClient.newHttpClient();

  StoredBytesHandlerTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::serve);
    server.start();
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  @Test
  void aValueIsReturnedAsItIsStored() throws Exception {
    outputs.putValue("team-a", "abc1", "{\"a\": 1.0}".getBytes(UTF_8));
    HttpResponse<String> response = send("GET", PATH);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("{\"a\": 1.0}");
    assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(response.headers().firstValueAsLong("Content-Length")).hasValue(10);
  }

  @Test
  void aRunWithoutAStoredValueIsNotFound() throws Exception {
    outputs.append("team-a", "abc1", 0, "output".getBytes(UTF_8));
    assertThat(send("GET", PATH).statusCode()).isEqualTo(404);
  }

  @Test
  void nothingButAReadOfAllOfItIsServed() throws Exception {
    outputs.putValue("team-a", "abc1", "1".getBytes(UTF_8));
    assertThat(send("PUT", PATH).statusCode()).isEqualTo(405);
    assertThat(send("GET", PATH + "?offset=1").statusCode()).isEqualTo(400);
  }

  private HttpResponse<String> send(String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    return client.send(
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString(UTF_8));
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      StoredBytesHandler values = StoredBytesHandler.values(outputs);
      Matcher path = values.path().matcher(exchange.getRequestURI().getPath());
      assertThat(path.matches()).isTrue();
      int status = values.serve(exchange, path);
      if (status != 200) {
        exchange.sendResponseHeaders(status, -1);
      }
    }
  }
}
