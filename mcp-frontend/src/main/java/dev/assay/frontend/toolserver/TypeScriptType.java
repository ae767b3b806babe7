package dev.assay.frontend.toolserver;

import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * A JSON schema as a type of TypeScript, in one line and within bounds (pure). Whoever wrote the
 * schema decides neither how long that takes nor how long it becomes.
 */
final class TypeScriptType {
  private static final String ANY = "unknown";
  private static final int MAX_DEPTH = 4;
  private static final int MAX_MEMBERS = 24;
  private static final int MAX_CHOICES = 12;
  private static final int MAX_NAME = 64;

  /** How many schemas are expanded; those after them are unknown. */
  private static final int MAX_SCHEMAS = 500;

  private int expanded;

  private TypeScriptType() {}

  /** The type that a schema describes. */
  static String of(JsonNode schema) {
    return new TypeScriptType().of(schema, 0);
  }

  private String of(JsonNode schema, int depth) {
    if (!schema.isObject() || depth > MAX_DEPTH || expanded == MAX_SCHEMAS) {
      return ANY;
    }
    expanded++;
    if (schema.has("const")) {
      return literal(schema.get("const"));
    }
    if (schema.path("enum").isArray() && !schema.get("enum").isEmpty()) {
      return union(schema.get("enum").valueStream().map(TypeScriptType::literal).toList());
    }
    for (String choice : List.of("anyOf", "oneOf")) {
      if (schema.path(choice).isArray() && !schema.get(choice).isEmpty()) {
        return union(schema.get(choice).valueStream().map(one -> of(one, depth + 1)).toList());
      }
    }
    JsonNode type = schema.path("type");
    return type.isArray()
        ? union(
            type.valueStream()
                .map(one -> one.asString(""))
                .distinct() // Or a schema that names one twice is expanded twice, at every level.
                .map(one -> named(one, schema, depth))
                .toList())
        : named(type.asString(schema.has("properties") ? "object" : ""), schema, depth);
  }

  private String named(String type, JsonNode schema, int depth) {
    return switch (type) {
      case "string", "boolean", "null" -> type;
      case "number", "integer" -> "number";
      case "array" -> array(of(schema.path("items"), depth + 1));
      case "object" -> object(schema, depth);
      default -> ANY;
    };
  }

  private static String array(String items) {
    return (items.contains(" | ") && !items.startsWith("{") ? "(" + items + ")" : items) + "[]";
  }

  private String object(JsonNode schema, int depth) {
    JsonNode properties = schema.path("properties");
    if (!properties.isObject() || properties.isEmpty()) {
      return schema.path("additionalProperties").isObject()
          ? "{[key: string]: " + of(schema.get("additionalProperties"), depth + 1) + "}"
          : "{}";
    }
    Set<String> required = new HashSet<>();
    schema.path("required").forEach(name -> required.add(name.asString("")));
    List<String> members = new ArrayList<>();
    for (Map.Entry<String, JsonNode> property : properties.properties()) {
      if (members.size() == MAX_MEMBERS) {
        members.add("…" + (properties.size() - MAX_MEMBERS) + " more");
        break;
      }
      members.add(
          name(property.getKey())
              + (required.contains(property.getKey()) ? ": " : "?: ")
              + of(property.getValue(), depth + 1));
    }
    return "{" + String.join(", ", members) + "}";
  }

  private static String name(String name) {
    String shown = Text.oneLine(name, MAX_NAME);
    return shown.matches("[A-Za-z_$][A-Za-z0-9_$]*") ? shown : quoted(shown);
  }

  private static String literal(JsonNode value) {
    return value.isString()
        ? quoted(Text.oneLine(value.asString(), MAX_NAME))
        : value.isValueNode() ? Text.oneLine(value.toString(), MAX_NAME) : ANY;
  }

  private static String quoted(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static String union(List<String> types) {
    List<String> different = types.stream().distinct().toList();
    return different.stream().limit(MAX_CHOICES).collect(Collectors.joining(" | "))
        + (different.size() > MAX_CHOICES ? " | …" : "");
  }
}
