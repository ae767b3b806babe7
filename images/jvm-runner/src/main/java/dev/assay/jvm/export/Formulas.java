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
            + " texts that a spreadsheet takes for formulas; format=\"xlsx\" keeps them as texts");
  }

  private static List<String> columns(StoredResult result) throws SQLException {
    List<Column> texts =
        result.columns().stream().filter(column -> column.type().equals("VARCHAR")).toList();
    List<String> found = new ArrayList<>();
    if (texts.isEmpty()) {
      return found;
    }
    String tests = texts.stream().map(Formulas::test).collect(Collectors.joining(", "));
    try (Statement statement = result.connection().createStatement();
        ResultSet row = statement.executeQuery("SELECT " + tests + " FROM " + result.relation())) {
      row.next();
      for (int i = 0; i < texts.size(); i++) {
        if (row.getBoolean(i + 1)) {
          found.add(texts.get(i).name());
        }
      }
    }
    return found;
  }

  /** A sign in front of a number is none of a formula, nor is one alone. */
  private static String test(Column column) {
    return "bool_or(%1$s[1] IN ('=', '+', '-', '@') AND length(%1$s) > 1 AND TRY_CAST(%1$s AS DOUBLE) IS NULL)"
        .formatted(Session.quoted(column.name()));
  }
}
