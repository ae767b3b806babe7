package dev.assay.jvm.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.jvm.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolCallsTest {
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

  private ToolCalls receiving(String... messages) {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    for (String message : messages) {
      stream.writeBytes(Frames.encode(message.getBytes(UTF_8)).array());
    }
    return new ToolCalls(new ControlSocket(new ByteArrayInputStream(stream.toByteArray()), sent));
  }

  private static String result(long call, String text, boolean more) {
    return "{\"type\":\"tool_result\",\"call\":%d,\"data\":\"%s\",\"more\":%b}"
        .formatted(call, encoded(text), more);
  }

  private static String encoded(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
  }

  private List<Map<String, Object>> messages() {
    List<Map<String, Object>> messages = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(sent.toByteArray());
    while (bytes.hasRemaining()) {
      byte[] body = new byte[bytes.getInt()];
      bytes.get(body);
      messages.add(Json.object(new String(body, UTF_8)));
    }
    return messages;
  }

  @Test
  void callsAreNumberedAndHaveTheirArgumentsAsBase64() throws Exception {
    ToolCalls calls = receiving(result(1, "{\"ok\": true}", false), result(2, "é", false));
    assertThat(new String(calls.call(new ToolRequest("s", "t", "{\"a\":\"é\"}")), UTF_8))
        .isEqualTo("{\"ok\": true}");
    assertThat(new String(calls.call(new ToolRequest("s", "u", "{}")), UTF_8)).isEqualTo("é");
    assertThat(messages().get(0))
        .containsEntry("type", "tool_call")
        .containsEntry("call", 1L)
        .containsEntry("batch", null)
        .containsEntry("server", "s")
        .containsEntry("tool", "t")
        .containsEntry("args", encoded("{\"a\":\"é\"}"));
    assertThat(messages().get(1)).containsEntry("call", 2L).containsEntry("tool", "u");
  }

  @Test
  void theResultsOfABatchComeInAnyOrderAndInPieces() throws Exception {
    ToolCalls calls =
        receiving(
            result(1, "zero", false),
            result(4, "thi", true),
            result(4, "rd", false),
            result(2, "first", false),
            result(3, "sec", true),
            result(3, "on", true),
            result(3, "d", false));
    calls.call(new ToolRequest("s", "t", "{}"));
    ToolRequest request = new ToolRequest("s", "t", "{}");
    byte[][] results = calls.call(List.of(request, request, request), 2);
    assertThat(List.of(results).stream().map(bytes -> new String(bytes, UTF_8)))
        .containsExactly("first", "second", "third");
    Map<String, Object> batch = Map.of("first", 2L, "size", 3L, "maxParallel", 2L);
    assertThat(messages().subList(1, 4)).allMatch(message -> batch.equals(message.get("batch")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"tool_result\",\"call\":2,\"data\":\"\",\"more\":false}",
        "{\"type\":\"tool_result\",\"call\":0,\"data\":\"\",\"more\":false}",
        "{\"type\":\"tool_result\",\"call\":1,\"data\":7}",
        "{\"type\":\"tool_result\",\"call\":1,\"data\":\"*\"}",
        "{\"type\":\"stop\"}",
        "[]",
        "{"
      })
  void whatIsNoResultOfTheCallIsAnError(String message) {
    assertThatThrownBy(() -> receiving(message).call(new ToolRequest("s", "t", "{}")))
        .isInstanceOf(IOException.class);
  }

  @Test
  void theEndOfTheStreamIsAnError() {
    assertThatThrownBy(() -> receiving().call(new ToolRequest("s", "t", "{}")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("the connection to the supervisor is closed");
  }
}
