package dev.assay.frontend.toolserver;

import dev.assay.frontend.run.Text;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The definition of a tool. Its server wrote it: it is data, bounded where it is shown.
 *
 * @param description without control characters; empty where there is none
 * @param input the schema of its arguments
 * @param output the schema of its result; missing where there is none
 */
public record ToolDefinition(String description, JsonNode input, JsonNode output) {
  private static final int MAX_DEPTH = 64;
  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .build())
          .build();

  /** Reads one; empty where it is malformed. */
  static Optional<ToolDefinition> read(String json) {
    try {
      JsonNode definition = JSON.readTree(json);
      return definition.isObject()
          ? Optional.of(
              new ToolDefinition(
                  Text.clean(definition.path("description").asString("")).strip(),
                  definition.path("inputSchema"),
                  definition.path("outputSchema")))
          : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }
}
