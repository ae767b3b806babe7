package dev.assay.jvm.profile;

import dev.assay.jvm.table.Cells;
import java.sql.Array;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values of the table in a profile: the engine returns texts of bounded length. */
final class Values {
  private static final int MAX_CHARACTERS = 80;

  private Values() {}

  /** An expression's text without what a profile has no room for. */
  static String shortened(String expression) {
    return "left((" + expression + ")::VARCHAR, " + (MAX_CHARACTERS + 1) + ")";
  }

  /** A text of the engine as JSON. */
  static String json(String type, String text) throws SQLException {
    if (text.codePointCount(0, text.length()) > MAX_CHARACTERS) {
      return Cells.json(text.substring(0, text.offsetByCodePoints(0, MAX_CHARACTERS)) + "…");
    }
    return switch (StorageType.of(type)) {
      case BOOLEAN, INTEGER -> text;
      case WIDE_INTEGER, DECIMAL -> Cells.json(Cells.exactNumber(text));
      case FLOATING -> Cells.json(Cells.floatingNumber(text));
      case TIME -> Cells.json(Cells.isoTimestamp(text));
      case TEXT, ENUM, OTHER -> Cells.json(text);
    };
  }

  /** The texts of a list as JSON; nulls are left out. */
  static List<String> jsonList(String type, @Nullable Array array) throws SQLException {
    List<String> values = new ArrayList<>();
    if (array != null) {
      for (Object text : (Object[]) array.getArray()) {
        if (text != null) {
          values.add(json(type, text.toString()));
        }
      }
    }
    return values;
  }
}
