package dev.assay.frontend.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.TestEndpoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class InputSchemasTest {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Path FILE =
      Path.of("src/test/resources/dev/assay/frontend/mcp/input-schemas.json");

  @Test
  void eachDefaultIsAValueThatItsOwnSchemaAllows() throws IOException {
    try (InputStream file = InputSchemasTest.class.getResourceAsStream("input-schemas.json")) {
      List<JsonNode> declared = JSON.readTree(Objects.requireNonNull(file)).findParents("default");

      assertThat(declared).hasSizeGreaterThan(20);
      assertThat(declared).allSatisfy(InputSchemasTest::hasAllowedDefault);
    }
  }

  /** Some clients reject a list of types. */
  @Test
  void noSchemaHasAListOfTypes() throws IOException {
    try (InputStream file = InputSchemasTest.class.getResourceAsStream("input-schemas.json")) {
      List<JsonNode> types = JSON.readTree(Objects.requireNonNull(file)).findValues("type");

      assertThat(types).hasSizeGreaterThan(20);
      assertThat(types).noneMatch(JsonNode::isArray);
    }
  }

  private static void hasAllowedDefault(JsonNode schema) {
    JsonNode value = schema.get("default");
    assertThat(schema.get("type").asString())
        .isEqualTo(
            switch (value.getNodeType()) {
              case STRING -> "string";
              case BOOLEAN -> "boolean";
              case NUMBER -> "integer";
              default -> "no default";
            });
    if (schema.has("enum")) {
      assertThat(schema.get("enum")).contains(value);
    }
    if (schema.has("minimum")) {
      assertThat(value.asInt())
          .isBetween(schema.get("minimum").asInt(), schema.get("maximum").asInt());
    }
  }

  /**
   * Agents pay for each word of it, so that a change is to be seen. After one: {@code ./mvnw -pl
   * mcp-frontend -am test -Dfrontend.write}.
   */
  @Test
  void theInputSchemasOfTheToolsAreThoseOfTheFile() throws IOException {
    try (InputStream file = InputSchemasTest.class.getResourceAsStream("input-schemas.json");
        TestEndpoint endpoint = new TestEndpoint()) {
      JsonNode answer =
          JSON.readTree(
              endpoint
                  .post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}")
                  .body());
      ObjectNode listed = JSON.createObjectNode();
      for (JsonNode tool : answer.at("/result/tools")) {
        listed.set(tool.get("name").asString(), tool.get("inputSchema"));
      }

      if (System.getProperty("frontend.write") != null) {
        Files.writeString(FILE, listed.toPrettyString() + "\n");
        return;
      }
      assertThat(listed.toPrettyString())
          .isEqualTo(JSON.readTree(Objects.requireNonNull(file)).toPrettyString());
    }
  }
}
