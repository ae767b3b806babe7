package dev.assay.local.api.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.function.Function;

/**
 * A column of what kubectl prints.
 *
 * @param name its head
 * @param type {@code string}, {@code integer}, {@code boolean} or {@code date}
 * @param format such as {@code name}; may be empty
 * @param priority above 0 where it is shown with {@code -o wide} only
 * @param value reads the cell's value; missing where there is none
 */
public record PrinterColumn(
    String name, String type, String format, int priority, Function<ObjectNode, JsonNode> value) {
  /** The first column of every table. */
  public static final PrinterColumn NAME =
      new PrinterColumn("Name", "string", "name", 0, path(".metadata.name"));

  /** The last column of most tables. */
  public static final PrinterColumn AGE = of("Age", "date", ".metadata.creationTimestamp");

  /** The columns of a kind about which nothing else is said. */
  public static final List<PrinterColumn> NAME_AND_AGE = List.of(NAME, AGE);

  /** A column that shows the field at a path. */
  public static PrinterColumn of(String name, String type, String jsonPath) {
    return new PrinterColumn(name, type, "", 0, path(jsonPath));
  }

  /** A column that shows a text made of the whole object. */
  public static PrinterColumn text(String name, Function<ObjectNode, String> text) {
    return new PrinterColumn(name, "string", "", 0, object -> TextNode.valueOf(text.apply(object)));
  }

  /** The same column, for {@code -o wide}. */
  public PrinterColumn wide() {
    return new PrinterColumn(name, type, format, 1, value);
  }

  /**
   * Reads one of a CRD's {@code additionalPrinterColumns}.
   *
   * @throws IllegalArgumentException where its path has more than names of fields
   */
  public static PrinterColumn parse(JsonNode column) {
    return new PrinterColumn(
        column.path("name").asText(),
        column.path("type").asText(),
        column.path("format").asText(),
        column.path("priority").asInt(),
        path(column.path("jsonPath").asText()));
  }

  private static Function<ObjectNode, JsonNode> path(String jsonPath) {
    if (!jsonPath.matches("(\\.[A-Za-z][A-Za-z0-9]*)+")) {
      throw new IllegalArgumentException("A column's path is not known: " + jsonPath);
    }
    List<String> names = List.of(jsonPath.substring(1).split("\\.", -1));
    return object -> {
      JsonNode found = object;
      for (String name : names) {
        found = found.path(name);
      }
      return found.isNull() ? MissingNode.getInstance() : found;
    };
  }
}
