package dev.assay.frontend.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.argument.ArgumentTypes;
import dev.assay.frontend.argument.Limit;
import dev.assay.frontend.argument.Parameter;
import dev.assay.frontend.argument.Parameters;
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
    if (schema.has("maximum")) {
      assertThat(value.asInt()).isLessThanOrEqualTo(schema.get("maximum").asInt());
    }
  }

  /** An error says them to the few calls that need them. */
  @Test
  void whatGuidesNoCallIsNotListed() {
    Limit limit = new Limit(100);
    Parameters parameters =
        Parameters.of(
            Parameter.required("minimum", ArgumentTypes.integer(1, 9)),
            Parameter.optional(
                "maxItems", ArgumentTypes.listOf(ArgumentTypes.text(limit), 3, limit).orNull()),
            Parameter.optional(
                "rows",
                ArgumentTypes.objectOf(
                    Parameters.of(
                        Parameter.withDefault("offset", ArgumentTypes.notNegative(), 0),
                        Parameter.withDefault("limit", ArgumentTypes.notNegative(), 9)),
                    limit)),
            Parameter.optional("either", ArgumentTypes.json(limit)).describedAs("Values"));

    assertThat(JSON.<JsonNode>valueToTree(InputSchema.of(parameters)))
        .isEqualTo(
            JSON.readTree(
                """
                {"type": "object",
                 "properties": {
                   "minimum": {"type": "integer", "maximum": 9},
                   "maxItems": {"type": "array", "items": {"type": "string"}},
                   "rows": {"type": "object",
                            "properties": {"offset": {"type": "integer"},
                                           "limit": {"type": "integer", "default": 9}}},
                   "either": {"anyOf": [{"type": "array", "items": {}}, {"type": "object"}],
                              "description": "Values"}},
                 "required": ["minimum"]}
                """));
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
