package dev.assay.operator.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.output.FakeOutputStore;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ArtifactHandlerTest {
  private static final String PATH = "/internal/v1/namespaces/team-a/runs/abc1/artifacts/1";

  private final FakeOutputStore outputs = new FakeOutputStore();
  private final HandlerServer server;

  ArtifactHandlerTest() throws IOException {
    server = new HandlerServer(ArtifactHandler.PATH, new ArtifactHandler(outputs)::serve);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void anArtifactIsReturnedWithItsLength() throws Exception {
    put("hello");
    HttpResponse<String> response = send("GET", PATH);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("hello");
    assertThat(response.headers().firstValue("Content-Type")).contains("application/octet-stream");
    assertThat(response.headers().firstValueAsLong("Content-Length")).hasValue(5);
  }

  @Test
  void theRestOfItIsReturnedFromAnOffset() throws Exception {
    put("hello");
    HttpResponse<String> response = send("GET", PATH + "?offset=2");
    assertThat(response.body()).isEqualTo("llo");
    assertThat(response.headers().firstValueAsLong("Content-Length")).hasValue(3);
    for (String offset : new String[] {"5", "500"}) {
      HttpResponse<String> past = send("GET", PATH + "?offset=" + offset);
      assertThat(past.statusCode()).isEqualTo(200);
      assertThat(past.body()).isEmpty();
    }
  }

  @Test
  void aPartOfItIsReturnedAndNoMore() throws Exception {
    put("hello");
    Map<String, String> parts =
        Map.of(
            "length=2",
            "he",
            "offset=1&length=3",
            "ell",
            "offset=3&length=9",
            "lo",
            "length=0",
            "");
    for (Map.Entry<String, String> part : parts.entrySet()) {
      HttpResponse<String> response = send("GET", PATH + "?" + part.getKey());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.body()).as(part.getKey()).isEqualTo(part.getValue());
    }
  }

  @Test
  void anArtifactThatIsNotStoredIsNotFound() throws Exception {
    put("hello");
    assertThat(send("GET", PATH.replace("/1", "/2")).statusCode()).isEqualTo(404);
  }

  @Test
  void nothingButAReadIsServed() throws Exception {
    put("hello");
    assertThat(send("PUT", PATH).statusCode()).isEqualTo(405);
    assertThat(send("GET", PATH + "?offset=-1").statusCode()).isEqualTo(400);
    for (String query : new String[] {"length=-1", "length=", "length=1&offset=1", "&length=1"}) {
      assertThat(send("GET", PATH + "?" + query).statusCode()).as(query).isEqualTo(400);
    }
  }

  @Test
  void aNumberIsNoPath() {
    for (String number : new String[] {"0", "01", "-1", "12345", "1.", "..", "1/2", ""}) {
      assertThat(ArtifactHandler.PATH.matcher(PATH.replace("artifacts/1", "artifacts/" + number)))
          .as(number)
          .matches(matcher -> !matcher.matches());
    }
  }

  private void put(String text) {
    outputs.put("team-a", "abc1", Map.of("a", text.getBytes(UTF_8)));
  }

  private HttpResponse<String> send(String method, String path)
      throws IOException, InterruptedException {
    return server.send(method, path);
  }
}
