package dev.assay.frontend.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.tool.CodeModeText;
import java.net.http.HttpRequest;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class PromptsTest {
  private final TestEndpoint endpoint = new TestEndpoint();

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private JsonNode call(String path, String method, String params) {
    HttpRequest request =
        endpoint
            .request(
                path,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}"
                    .formatted(method, params))
            .header("Authorization", "Bearer alice-key")
            .build();
    return JsonMapper.shared().readTree(endpoint.send(request).body());
  }

  @Test
  void thePromptOfCodeModeIsTheTextOfTheTool() {
    assertThat(call("/mcp", "prompts/list", "{}").at("/result/prompts/0/name").asString())
        .isEqualTo("code_mode");
    JsonNode message =
        call("/mcp", "prompts/get", "{\"name\":\"code_mode\"}").at("/result/messages/0");
    assertThat(message.get("role").asString()).isEqualTo("user");
    assertThat(message.at("/content/text").asString()).isEqualTo(CodeModeText.of(List.of()));
  }

  @Test
  void whoCannotRunCodeHasNoPromptForIt() {
    assertThat(call("/mcp/runs", "prompts/list", "{}").at("/result/prompts").size()).isZero();
  }

  @Test
  void anotherPromptIsNone() {
    assertThat(call("/mcp", "prompts/get", "{\"name\":\"x\"}").at("/error/code").asInt())
        .isEqualTo(RpcError.INVALID_PARAMS);
    assertThat(call("/mcp", "prompts/get", "{\"name\":7}").at("/error/code").asInt())
        .isEqualTo(RpcError.INVALID_PARAMS);
  }
}
