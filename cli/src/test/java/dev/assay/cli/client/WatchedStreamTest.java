package dev.assay.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.cli.client.FakeApi.Answer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WatchedStreamTest {
  @Test
  void whatComesInTimeIsRead() throws IOException {
    try (WatchedStream stream =
        new WatchedStream(new ByteArrayInputStream("abc".getBytes(UTF_8)), Duration.ofMinutes(1))) {
      assertThat(stream.read()).isEqualTo('a');
      assertThat(stream.readAllBytes()).asString(UTF_8).isEqualTo("bc");
      assertThat(stream.read()).isEqualTo(-1);
    }
  }

  @Test
  void anEndpointThatFallsSilentIsLeft() {
    try (FakeApi api = new FakeApi();
        AssayClient client = new AssayClient(Endpoint.of(api.address(), null))) {
      api.on("POST /api/v1/code/exec", Answer.unending("\n"));

      assertThatThrownBy(() -> client.executeScript(AssayClient.object(), Duration.ofMillis(300)))
          .isInstanceOf(ApiException.class)
          .hasMessageContaining("broke");
    }
  }
}
