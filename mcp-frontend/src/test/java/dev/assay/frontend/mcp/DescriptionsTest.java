package dev.assay.frontend.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.TestEndpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class DescriptionsTest {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Path FILE = Path.of("../bench/economy/descriptions.json");

  /**
   * The ranking test of {@code dev/bench economy} looks for tools by them. After a change: {@code
   * ./mvnw -pl mcp-frontend -am test -Dfrontend.write}.
   */
  @Test
  void theDescriptionsOfTheToolsAreThoseOfTheFile() throws IOException {
    try (TestEndpoint endpoint = new TestEndpoint()) {
      JsonNode answer =
          JSON.readTree(
              endpoint
                  .post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}")
                  .body());
      ObjectNode listed = JSON.createObjectNode();
      for (JsonNode tool : answer.at("/result/tools")) {
        listed.set(tool.get("name").asString(), tool.get("description"));
      }

      if (System.getProperty("frontend.write") != null) {
        Files.writeString(FILE, listed.toPrettyString() + "\n");
        return;
      }
      assertThat(listed).isEqualTo(JSON.readTree(Files.readString(FILE)));
    }
  }
}
