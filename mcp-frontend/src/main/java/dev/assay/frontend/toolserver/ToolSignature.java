package dev.assay.frontend.toolserver;

import dev.assay.api.text.VisibleText;
import dev.assay.frontend.run.Text;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What is shown of the definition of a tool. Its server wrote it: it is data. It is kept as text,
 * since a tree takes many times what it was read from.
 *
 * @param description without control characters; empty where there is none
 * @param arguments as a type of TypeScript
 * @param result that of {@code result} in an outcome, likewise; empty where nothing is said of it
 */
record ToolSignature(String description, String arguments, String result) {
  private static final int MAX_DEPTH = 64;

  /** Of the largest tools, with thousands of properties, and a few megabytes in memory. */
  private static final int MAX_TOKENS = 50_000;

  private static final int MAX_TYPE = 2_000;

  private static final int MAX_CHOICE_DEPTH = 4;

  private static final Set<String> NO_OBJECTS =
      Set.of("array", "boolean", "integer", "null", "number", "string");

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxTokenCount(MAX_TOKENS)
                          .build())
                  .build())
          .build();

  /** Reads one; empty where it is malformed, or has too many parts. */
  static Optional<ToolSignature> read(byte[] json) {
    JsonNode definition;
    synchronized (JSON) { // One tree at a time, however many calls there are.
      try {
        definition = JSON.readTree(json);
      } catch (JacksonException e) {
        return Optional.empty();
      }
      return definition.isObject() ? Optional.of(of(definition)) : Optional.empty();
    }
  }

  private static ToolSignature of(JsonNode definition) {
    JsonNode output = definition.path("outputSchema");
    return new ToolSignature(
        Text.clean(VisibleText.of(definition.path("description").asString(""))).strip(),
        type(definition.path("inputSchema")),
        output.isObject() ? type(value(output)) : "");
  }

  /**
   * SDKs wrap a value that is not an object as the only property, {@code result}; the gateway
   * unwraps it.
   */
  private static JsonNode value(JsonNode output) {
    JsonNode properties = output.path("properties");
    JsonNode only = properties.path("result");
    return properties.size() == 1 && isNoObject(only, 0) ? only : output;
  }

  private static boolean isNoObject(JsonNode schema, int depth) {
    JsonNode choices = schema.path("anyOf");
    if (!choices.isEmpty()) {
      return depth < MAX_CHOICE_DEPTH
          && choices.valueStream().allMatch(choice -> isNoObject(choice, depth + 1));
    }
    return NO_OBJECTS.contains(schema.path("type").asString(""));
  }

  private static String type(JsonNode schema) {
    return Text.visibleLine(TypeScriptType.of(schema), MAX_TYPE);
  }
}
