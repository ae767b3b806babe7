package dev.assay.jvm.sql;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Binds values to the parameters of a prepared statement. */
final class Binding {
  private Binding() {}

  // An array of the JDK's own interface may have null elements.
  @SuppressWarnings("NullAway")
  static void bind(
      Connection connection, PreparedStatement statement, List<@Nullable Object> values)
      throws SQLException {
    int position = 0;
    for (Object value : values) {
      position++;
      if (value instanceof Parameters.ListValue list) {
        Object[] elements = converted(list.elements());
        statement.setArray(position, connection.createArrayOf(type(elements), elements));
      } else {
        statement.setObject(position, value);
      }
    }
  }

  /** The SQL type that holds all elements. */
  private static String type(@Nullable Object[] elements) {
    String type = "VARCHAR";
    for (Object element : elements) {
      if (element != null) {
        type =
            switch (element) {
              case Boolean truth -> "BOOLEAN";
              case Long number -> "BIGINT";
              case Double number -> "DOUBLE";
              default -> "VARCHAR";
            };
        break;
      }
    }
    return type;
  }

  /** Elements of one type: numbers become doubles, and all else text, where they differ. */
  private static @Nullable Object[] converted(List<@Nullable Object> elements) {
    boolean whole = elements.stream().allMatch(value -> value == null || value instanceof Long);
    boolean numbers = elements.stream().allMatch(value -> value == null || value instanceof Number);
    boolean truths = elements.stream().allMatch(value -> value == null || value instanceof Boolean);
    return elements.stream()
        .map(
            value -> {
              if (value == null || whole || truths) {
                return value;
              }
              return numbers ? (Object) ((Number) value).doubleValue() : text(value);
            })
        .toArray();
  }

  private static String text(Object value) {
    return value instanceof BigDecimal number ? number.toPlainString() : value.toString();
  }
}
