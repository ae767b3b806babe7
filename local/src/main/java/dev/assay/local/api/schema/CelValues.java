package dev.assay.local.api.schema;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.values.NullValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON as values that CEL computes with. */
final class CelValues {
  private CelValues() {}

  /** The schema decides between int and double, as it does in the API server. */
  static Object of(JsonNode value, @Nullable StructuralSchema schema) {
    return switch (value.getNodeType()) {
      case OBJECT -> {
        Map<String, Object> map = new HashMap<>();
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
          map.put(
              entry.getKey(),
              of(entry.getValue(), schema == null ? null : schema.of(entry.getKey())));
        }
        yield map;
      }
      case ARRAY -> {
        List<Object> list = new ArrayList<>();
        value.forEach(item -> list.add(of(item, schema == null ? null : schema.of(""))));
        yield list;
      }
      case STRING -> value.asText();
      case BOOLEAN -> value.asBoolean();
      case NUMBER -> number(value, schema);
      case NULL, MISSING, BINARY, POJO -> NullValue.NULL_VALUE;
    };
  }

  private static Object number(JsonNode value, @Nullable StructuralSchema schema) {
    boolean isDouble = schema == null ? !value.isIntegralNumber() : schema.isDouble();
    if (isDouble) {
      return value.doubleValue();
    }
    return value.longValue();
  }
}
