package dev.assay.frontend.mcp;

import dev.assay.frontend.argument.Parameters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The JSON schema of a tool's arguments as agents read it. Every conversation has it, so that what
 * does not guide a call is left out: the check refuses such an argument all the same, and says why.
 */
final class InputSchema {
  private static final String ANY_OF = "anyOf";

  /** What few calls run into. */
  private static final Set<String> UNLISTED =
      Set.of("additionalProperties", "minimum", "minLength", "maxLength", "maxItems");

  /** What an absent flag or number is taken for anyway. */
  private static final Set<Object> PLAIN_DEFAULTS = Set.of(false, 0);

  private static final Map<String, Object> NULL = Map.of("type", "null");

  private InputSchema() {}

  /** The schema of an object that has these parameters. */
  static Map<String, Object> of(Parameters parameters) {
    return listed(parameters.jsonSchema());
  }

  private static Map<String, Object> listed(Map<?, ?> schema) {
    Map<String, Object> listed = new LinkedHashMap<>();
    schema.forEach((keyword, value) -> listed.putAll(listed(String.valueOf(keyword), value)));
    return listed;
  }

  private static Map<String, Object> listed(String keyword, Object value) {
    if (UNLISTED.contains(keyword)) {
      return Map.of();
    }
    return switch (keyword) {
      case "properties" -> Map.of(keyword, properties((Map<?, ?>) value));
      case "items" -> Map.of(keyword, listed((Map<?, ?>) value));
      case ANY_OF -> alternatives((List<?>) value);
      case "default" -> PLAIN_DEFAULTS.contains(value) ? Map.of() : Map.of(keyword, value);
      default -> Map.of(keyword, value);
    };
  }

  private static Map<String, Object> properties(Map<?, ?> properties) {
    Map<String, Object> listed = new LinkedHashMap<>();
    properties.forEach(
        (name, schema) -> listed.put(String.valueOf(name), listed((Map<?, ?>) schema)));
    return listed;
  }

  /** Any argument can be null instead of absent, and none needs to be. */
  private static Map<String, Object> alternatives(List<?> schemas) {
    List<Map<String, Object>> others =
        schemas.stream()
            .filter(schema -> !NULL.equals(schema))
            .map(schema -> listed((Map<?, ?>) schema))
            .toList();
    return others.size() == 1 ? others.getFirst() : Map.of(ANY_OF, others);
  }
}
