package dev.assay.operator.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.output.FakeOutputStore;
import java.io.IOException;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoredBytesHandlerTest {
  private static final String PATH = "/internal/v1/namespaces/team-a/runs/abc1/value";

  private final FakeOutputStore outputs = new FakeOutputStore();
  private final HandlerServer server;

  StoredBytesHandlerTest() throws IOException {
    StoredBytesHandler values = StoredBytesHandler.values(outputs);
    server = new HandlerServer(values.path(), values::serve);
  }

  @AfterEach
  void stop() {
    server.close();
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
    return server.send(method, path);
  }
}
