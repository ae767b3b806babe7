package dev.assay.jvm.export;

import dev.assay.jvm.builtin.Arguments;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.table.Column;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Texts that a spreadsheet evaluates when it opens a CSV file. */
final class Formulas {
  private static final int MAX_NAMED = 5;

  private Formulas() {}

  /** A warning that names the columns with such texts; empty where there is none. */
  static Optional<String> warning(StoredResult result) throws SQLException {
    List<String> columns = columns(result);
    if (columns.isEmpty()) {
      return Optional.empty();
    }
    String names =
        columns.stream()
            .limit(MAX_NAMED)
            .map(name -> "'" + Arguments.shown(name) + "'")
            .collect(Collectors.joining(", "));
    return Optional.of(
        names
            + (columns.size() > MAX_NAMED
                ? " and " + (columns.size() - MAX_NAMED) + " more columns"
                : "")
            + (columns.size() == 1 ? " has" : " have")
            + " text that a spreadsheet evaluates as formulas; format=\"xlsx\" keeps it as text");
  }

  private static List<String> columns(StoredResult result) throws SQLException {
    List<Column> texts =
        result.columns().stream().filter(column -> column.type().equals("VARCHAR")).toList();
    List<String> found = new ArrayList<>();
    result.columns().stream().map(Column::name).filter(Formulas::isFormula).forEach(found::add);
    if (texts.isEmpty()) {
      return found;
    }
    String tests = texts.stream().map(Formulas::test).collect(Collectors.joining(", "));
    try (Statement statement = result.connection().createStatement();
        ResultSet row = statement.executeQuery("SELECT " + tests + " FROM " + result.relation())) {
      row.next();
      for (int i = 0; i < texts.size(); i++) {
        String name = texts.get(i).name();
        if (row.getBoolean(i + 1) && !found.contains(name)) {
          found.add(name);
        }
      }
    }
    return found;
  }

  /** Whether the heading of a column is evaluated. */
  private static boolean isFormula(String name) {
    return name.length() > 1 && "=+-@".indexOf(name.charAt(0)) >= 0;
  }

  /** A signed number is no formula, nor is a sign alone. */
  private static String test(Column column) {
    return "bool_or(%1$s[1] IN ('=', '+', '-', '@') AND length(%1$s) > 1 AND TRY_CAST(%1$s AS DOUBLE) IS NULL)"
        .formatted(Session.quoted(column.name()));
  }
}
