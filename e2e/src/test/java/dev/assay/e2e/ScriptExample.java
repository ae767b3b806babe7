package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An example of docs/code-execution.md. The page has a request as JSON, or a script and its other
 * arguments, which may be left out where there are none; then the fields that the reply must have.
 *
 * @param arguments of the tool
 * @param reply a part of the reply
 */
record ScriptExample(ObjectNode arguments, JsonNode reply) {
  private static final Path PAGE = Path.of("../docs/code-execution.md");
  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};
  private static final String CODE = "code";

  /** All examples, in the order of the page. */
  static List<ScriptExample> all() {
    List<ScriptExample> examples = new ArrayList<>();
    ObjectNode arguments = Rest.JSON.createObjectNode();
    for (FencedBlock block : FencedBlock.of(PAGE)) {
      switch (block.language() + " " + block.mark()) {
        case "json request" -> arguments = (ObjectNode) Script.json(block.text());
        case "javascript script" ->
            arguments = Rest.JSON.createObjectNode().put(CODE, block.text());
        case "json arguments" -> {
          String code = arguments.path(CODE).asText();
          arguments = ((ObjectNode) Script.json(block.text())).put(CODE, code);
        }
        case "json reply" ->
            examples.add(new ScriptExample(arguments.deepCopy(), Script.json(block.text())));
        default -> {}
      }
    }
    return List.copyOf(examples);
  }

  /** The script, to be executed. */
  Script script() {
    return new Script(Rest.JSON.convertValue(arguments, MAP));
  }

  /** Whether the script has a value. */
  boolean succeeds() {
    return reply.path("ok").asBoolean();
  }

  /** Fails where a reply differs in one of the fields. */
  void assertIn(JsonNode found) {
    assertThat(partOf(found, reply)).as("%s replied %s", arguments, found).isEqualTo(reply);
  }

  /** The fields that the expected value has. */
  private static JsonNode partOf(JsonNode found, JsonNode expected) {
    if (found.isObject() && expected.isObject()) {
      ObjectNode part = Rest.JSON.createObjectNode();
      expected
          .fieldNames()
          .forEachRemaining(
              name -> {
                if (found.has(name)) {
                  part.set(name, partOf(found.get(name), expected.get(name)));
                }
              });
      return part;
    }
    if (found.isArray() && expected.isArray() && found.size() == expected.size()) {
      ArrayNode part = Rest.JSON.createArrayNode();
      for (int i = 0; i < found.size(); i++) {
        part.add(partOf(found.get(i), expected.get(i)));
      }
      return part;
    }
    return found;
  }

  /** For the report: the first line of the code that is no comment, and what goes in. */
  @Override
  public String toString() {
    String first =
        arguments
            .path(CODE)
            .asText()
            .lines()
            .filter(line -> !line.startsWith("//"))
            .findFirst()
            .orElse("");
    JsonNode input = arguments.path("input");
    return input.isMissingNode() ? first : first + " " + input;
  }
}
