package dev.assay.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.cli.client.FakeApi.Answer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class McpBridgeTest {
  private final FakeApi api = new FakeApi();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void aRequestIsAnsweredOnOneLine() throws Exception {
    api.on("POST /mcp", 200, "{\"jsonrpc\":\"2.0\",\n \"id\":1,\"result\":{}}");
    assertThat(through("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"))
        .containsExactly("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
  }

  @Test
  void messagesOfAStreamComeOneByOne() throws Exception {
    api.on(
        "POST /mcp",
        new Answer(
            200,
            "text/event-stream",
            ": hello\n\nevent: message\ndata: {\"method\":\"notifications/progress\"}\n\n"
                + "data: {\"id\":1,\ndata: \"result\":{}}\n\n"));
    assertThat(through("{\"id\":1,\"method\":\"tools/call\"}"))
        .containsExactly("{\"method\":\"notifications/progress\"}", "{\"id\":1,\"result\":{}}");
  }

  @Test
  void aNotificationHasNoAnswer() throws Exception {
    api.on("POST /mcp", 202, "");
    assertThat(through("{\"method\":\"notifications/initialized\"}")).isEmpty();
  }

  @Test
  void aRequestThatIsRefusedIsAnsweredAllTheSame() throws Exception {
    api.on("POST /mcp", 401, "{}");
    assertThat(through("{\"id\":\"a\",\"method\":\"ping\"}"))
        .singleElement()
        .asString()
        .contains("\"id\":\"a\"")
        .contains("answered 401");
  }

  @Test
  void aRequestThatNobodyHearsIsAnsweredAllTheSame() throws Exception {
    String address = api.address();
    api.close();
    assertThat(through(Endpoint.of(address, null), "{\"id\":7,\"method\":\"ping\"}"))
        .singleElement()
        .asString()
        .contains("\"id\":7")
        .contains("assay local");
  }

  @Test
  void theKeyGoesWithEachMessage() throws Exception {
    api.on("POST /mcp", 202, "");
    assertThat(through(Endpoint.of(api.address(), "k"), "{\"method\":\"a\"}\n\n{\"method\":\"b\"}"))
        .isEmpty();
    assertThat(api.asked()).extracting(FakeApi.Asked::key).containsExactly("Bearer k", "Bearer k");
  }

  private List<String> through(String input) throws Exception {
    return through(Endpoint.of(api.address(), null), input);
  }

  private static List<String> through(Endpoint endpoint, String input) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (McpBridge bridge = new McpBridge(endpoint, new PrintStream(out, true, UTF_8))) {
      bridge.run(new ByteArrayInputStream(input.getBytes(UTF_8)));
    }
    return out.toString(UTF_8).lines().toList();
  }
}
