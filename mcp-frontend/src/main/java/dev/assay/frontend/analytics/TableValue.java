package dev.assay.frontend.analytics;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A table, or its first rows.
 *
 * @param columns with different names
 * @param rows each with a cell for each column: null, a truth value, a number, a text, or a list or
 *     map of these
 * @param totalRows of the complete table
 */
public record TableValue(List<Column> columns, List<List<@Nullable Object>> rows, long totalRows) {
  /** A column; the type is one of the engine. */
  public record Column(String name, String type) {
    /** Whether its values are floating point numbers, in the words of any engine. */
    boolean isFloating() {
      String lower = type.toLowerCase(Locale.ROOT);
      return lower.startsWith("double") || lower.startsWith("float");
    }
  }

  /** Names of the columns. */
  public List<String> names() {
    return columns.stream().map(Column::name).toList();
  }

  /** Types of the first columns. */
  public List<String> types(int max) {
    return columns.stream().limit(max).map(Column::type).toList();
  }

  /** Rows as objects. */
  static List<Map<String, @Nullable Object>> objects(
      List<String> names, List<? extends List<? extends @Nullable Object>> rows) {
    List<Map<String, @Nullable Object>> objects = new ArrayList<>(rows.size());
    for (List<? extends @Nullable Object> row : rows) {
      Map<String, @Nullable Object> object = new LinkedHashMap<>();
      for (int i = 0; i < names.size(); i++) {
        object.put(names.get(i), row.get(i));
      }
      objects.add(object);
    }
    return objects;
  }
}
