package dev.assay.frontend.analytics;

import dev.assay.frontend.run.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The members of a JSON object that must be of certain types. Members that are not asked for may be
 * anything.
 */
final class Members {
  private final String path;
  private final JsonNode object;

  private Members(String path, JsonNode object) {
    this.path = path;
    this.object = object;
  }

  /** Of a node that must be an object. */
  static Members of(String path, JsonNode node) {
    if (!node.isObject()) {
      throw new InvalidValueException("'" + path + "' is not an object");
    }
    return new Members(path, node);
  }

  private InvalidValueException wrong(String name, String why) {
    return new InvalidValueException("'" + path + "." + name + "' " + why);
  }

  private @Nullable JsonNode find(String name) {
    @Nullable JsonNode node = object.get(name);
    return node == null || node.isNull() ? null : node;
  }

  private JsonNode get(String name) {
    @Nullable JsonNode node = find(name);
    if (node == null) {
      throw wrong(name, "is missing");
    }
    return node;
  }

  /** An object that may be absent. */
  <T> @Nullable T object(String name, Function<Members, T> reader) {
    @Nullable JsonNode node = find(name);
    return node == null ? null : reader.apply(of(path + "." + name, node));
  }

  /** An array, empty where it is absent, of at most so many members. */
  <T extends @Nullable Object> List<T> list(String name, int max, Function<JsonNode, T> reader) {
    @Nullable JsonNode node = find(name);
    if (node == null) {
      return List.of();
    }
    if (!node.isArray() || node.size() > max) {
      throw wrong(name, "is not an array of at most " + max + " members");
    }
    List<T> members = new ArrayList<>(node.size());
    node.forEach(member -> members.add(reader.apply(member)));
    return members;
  }

  /** An array of objects. */
  <T> List<T> objects(String name, int max, Function<Members, T> reader) {
    String each = path + "." + name + "[]";
    return list(name, max, node -> reader.apply(of(each, node)));
  }

  /** Texts of one line each. */
  List<String> lines(String name, int max, int maxChars) {
    return list(
        name,
        max,
        node -> {
          if (!node.isString()) {
            throw wrong(name, "has a member that is not a text");
          }
          return Text.oneLine(node.stringValue(), maxChars);
        });
  }

  /** A text, cleaned. */
  String text(String name) {
    @Nullable String text = textOrNull(name);
    if (text == null) {
      throw wrong(name, "is missing");
    }
    return text;
  }

  @Nullable String textOrNull(String name) {
    @Nullable JsonNode node = find(name);
    if (node == null) {
      return null;
    }
    if (!node.isString()) {
      throw wrong(name, "is not a text");
    }
    return Text.clean(node.stringValue());
  }

  /** One of some texts. */
  String oneOf(String name, List<String> allowed) {
    String text = text(name);
    if (!allowed.contains(text)) {
      throw wrong(name, "is none of " + String.join(", ", allowed));
    }
    return text;
  }

  /** A whole number from 0 on. */
  long count(String name) {
    @Nullable Long count = countOrNull(name);
    if (count == null) {
      throw wrong(name, "is missing");
    }
    return count;
  }

  @Nullable Long countOrNull(String name) {
    @Nullable Long number = wholeOrNull(name);
    if (number != null && number < 0) {
      throw wrong(name, "is below 0");
    }
    return number;
  }

  @Nullable Long wholeOrNull(String name) {
    @Nullable JsonNode node = find(name);
    if (node == null) {
      return null;
    }
    if (!node.isIntegralNumber() || !node.canConvertToLong()) {
      throw wrong(name, "is not a whole number");
    }
    return node.longValue();
  }

  /** Numbers of members of a list, from 0; none where they are missing. */
  List<Integer> indexes(String name, int max) {
    return list(
        name,
        max,
        node -> {
          if (!node.isInt() || node.intValue() < 0) {
            throw wrong(name, "has a member that is no index");
          }
          return node.intValue();
        });
  }

  /** A finite number. */
  double number(String name) {
    JsonNode node = get(name);
    double number = node.isNumber() ? node.decimalValue().doubleValue() : Double.NaN;
    if (!Double.isFinite(number)) {
      throw wrong(name, "is not a number");
    }
    return number;
  }

  /** A truth value; false where it is absent. */
  boolean flag(String name) {
    @Nullable JsonNode node = find(name);
    if (node != null && !node.isBoolean()) {
      throw wrong(name, "is not a truth value");
    }
    return node != null && node.booleanValue();
  }

  /** Anything, as {@link #cell} has it; null where it is absent. */
  @Nullable Object value(String name) {
    @Nullable JsonNode node = find(name);
    return node == null ? null : cell(node);
  }

  /** A value of the data: its texts are cleaned, its numbers are as they were written. */
  static @Nullable Object cell(JsonNode node) {
    return switch (node.getNodeType()) {
      case NULL, MISSING -> null;
      case BOOLEAN -> node.booleanValue();
      case NUMBER -> node.numberValue();
      case STRING -> Text.clean(node.stringValue());
      case ARRAY -> {
        List<@Nullable Object> members = new ArrayList<>(node.size());
        node.forEach(member -> members.add(cell(member)));
        yield members;
      }
      case OBJECT -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        node.forEachEntry((name, member) -> members.put(Text.clean(name), cell(member)));
        yield members;
      }
      case BINARY, POJO -> throw new IllegalStateException("no JSON text has this");
    };
  }
}
