package dev.assay.jvm;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** JSON as maps, lists, texts and numbers. */
public final class Json {
  private Json() {}

  @SuppressWarnings("unchecked")
  public static Map<String, Object> object(String text) {
    return (Map<String, Object>) parse(text);
  }

  public static Object parse(String text) {
    try (JsonParser json = new JsonFactory().createParser(ObjectReadContext.empty(), text)) {
      json.nextToken();
      Object value = value(json);
      if (json.nextToken() != null) {
        throw new AssertionError("more than one value");
      }
      return value;
    }
  }

  private static Object value(JsonParser json) {
    return switch (json.currentToken()) {
      case START_OBJECT -> {
        Map<String, Object> object = new LinkedHashMap<>();
        while (json.nextToken() != tools.jackson.core.JsonToken.END_OBJECT) {
          String name = json.currentName();
          json.nextToken();
          object.put(name, value(json));
        }
        yield object;
      }
      case START_ARRAY -> {
        List<Object> array = new ArrayList<>();
        while (json.nextToken() != tools.jackson.core.JsonToken.END_ARRAY) {
          array.add(value(json));
        }
        yield array;
      }
      case VALUE_STRING -> json.getString();
      case VALUE_NUMBER_INT -> json.getLongValue();
      case VALUE_NUMBER_FLOAT -> new BigDecimal(json.getString());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  /** The same with each number as a double, in whatever way it is written. */
  public static @Nullable Object plain(@Nullable Object value) {
    return switch (value) {
      case Number number -> number.doubleValue();
      case List<?> list -> list.stream().map(Json::plain).toList();
      case Map<?, ?> map -> {
        Map<Object, @Nullable Object> found = new LinkedHashMap<>();
        map.forEach((key, one) -> found.put(key, plain(one)));
        yield found;
      }
      case null, default -> value;
    };
  }
}
