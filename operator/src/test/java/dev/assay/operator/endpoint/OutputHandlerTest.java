package dev.assay.operator.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.output.FakeOutputStore;
import dev.assay.operator.output.OutputManifest;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutputHandlerTest {
  private static final String PATH = "/internal/v1/namespaces/team-a/runs/abc1/output";

  private final FakeOutputStore outputs = new FakeOutputStore();
  private final HandlerServer server;

  OutputHandlerTest() throws IOException {
    server = new HandlerServer(OutputHandler.PATH, new OutputHandler(outputs)::serve);
  }

  @AfterEach
  void stop() {
    server.close();
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
    return server.send("GET", path);
  }
}
