package dev.assay.operator.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.operator.output.FakeOutputStore;
import dev.assay.operator.output.OutputManifest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.regex.Matcher;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutputHandlerTest {
  private static final String PATH = "/internal/v1/namespaces/team-a/runs/abc1/output";

  private final FakeOutputStore outputs = new FakeOutputStore();
  private final HttpServer server;
  private final HttpClient client = HttpClient.newHttpClient();

  OutputHandlerTest() throws IOException {
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
  void outputThatMayGrowHasNoLength() throws Exception {
    store("hello");
    HttpResponse<String> response = get(PATH + "?offset=2");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("llo");
    assertThat(response.headers().firstValue("Content-Length")).isEmpty();
  }

  @Test
  void finishedOutputHasALength() throws Exception {
    store("hello");
    outputs.finish("team-a", "abc1", new OutputManifest(5, false, "", Instant.EPOCH));
    HttpResponse<String> response = get(PATH + "?offset=2");
    assertThat(response.body()).isEqualTo("llo");
    assertThat(response.headers().firstValueAsLong("Content-Length")).hasValue(3);
    assertThat(get(PATH).body()).isEqualTo("hello");
    for (String offset : new String[] {"5", "500"}) {
      HttpResponse<String> past = get(PATH + "?offset=" + offset);
      assertThat(past.statusCode()).isEqualTo(200);
      assertThat(past.body()).isEmpty();
    }
  }

  @Test
  void whatWasStoredAfterTheOutputWasFinishedIsNotSent() throws Exception {
    store("hello");
    outputs.finish("team-a", "abc1", new OutputManifest(5, false, "", Instant.EPOCH));
    outputs.append("team-a", "abc1", 5, " and more".getBytes(UTF_8));
    assertThat(get(PATH).body()).isEqualTo("hello");
    assertThat(get(PATH + "?offset=2").body()).isEqualTo("llo");
    assertThat(get(PATH + "?offset=6").body()).isEmpty();
  }

  @Test
  void outputThatIsNotStoredIsNotFound() throws Exception {
    assertThat(get(PATH).statusCode()).isEqualTo(404);
  }

  @Test
  void anInvalidOffsetIsRefused() throws Exception {
    store("hello");
    assertThat(get(PATH + "?offset=-1").statusCode()).isEqualTo(400);
    assertThat(get(PATH + "?offset=1&offset=2").statusCode()).isEqualTo(400);
  }

  private void store(String text) throws IOException {
    outputs.append("team-a", "abc1", 0, text.getBytes(UTF_8));
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    return client.send(
        HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString(UTF_8));
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      Matcher path = OutputHandler.PATH.matcher(exchange.getRequestURI().getPath());
      assertThat(path.matches()).isTrue();
      int status = new OutputHandler(outputs).serve(exchange, path);
      if (status != 200) {
        exchange.sendResponseHeaders(status, -1);
      }
    }
  }
}
