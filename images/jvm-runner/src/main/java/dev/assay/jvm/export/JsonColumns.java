package dev.assay.jvm.export;

import dev.assay.jvm.builtin.Arguments;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.table.Column;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Collectors;

/** Selects the columns of a result for JSON, which has neither NaN nor infinities. */
final class JsonColumns {
  private final StoredResult result;

  JsonColumns(StoredResult result) {
    this.result = result;
  }

  /** A query that has the texts of cells for what JSON does not have. */
  String query() throws JobFailure, SQLException {
    for (Column column : result.columns()) {
      requireFiniteElements(column);
    }
    return result.columns().stream()
        .map(JsonColumns::expression)
        .collect(Collectors.joining(", ", "SELECT ", " FROM " + result.relation()));
  }

  private static String expression(Column column) {
    String name = Session.quoted(column.name());
    return switch (column.type()) {
      case "DOUBLE" -> finiteOrText(name, name);
      // By its digits: as a double, 0.1 is 0.10000000149011612.
      case "FLOAT" -> finiteOrText(name, "CAST(CAST(%s AS VARCHAR) AS DOUBLE)".formatted(name));
      default -> name;
    };
  }

  private static String finiteOrText(String name, String number) {
    return """
        CASE WHEN isfinite(%1$s) THEN to_json(%2$s) WHEN isnan(%1$s) THEN to_json('NaN')
          WHEN %1$s > 0 THEN to_json('Infinity') WHEN %1$s < 0 THEN to_json('-Infinity') END
          AS %1$s"""
        .formatted(name, number);
  }

  /** DuckDB writes a NaN within a list or a struct as it is, and no reader takes that. */
  private void requireFiniteElements(Column column) throws JobFailure, SQLException {
    boolean isNested = column.type().endsWith("]") || column.type().endsWith(")");
    boolean hasFloats = column.type().contains("DOUBLE") || column.type().contains("FLOAT");
    if (!isNested || !hasFloats) {
      return;
    }
    String withoutTexts =
        "regexp_replace(CAST(to_json(%s) AS VARCHAR), '\"([^\"\\\\]|\\\\.)*\"', '', 'g')"
            .formatted(Session.quoted(column.name()));
    String query =
        "SELECT count(*) FROM %s WHERE regexp_matches(%s, 'NaN|Infinity')"
            .formatted(result.relation(), withoutTexts);
    try (Statement statement = result.connection().createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      if (row.getLong(1) > 0) {
        throw Arguments.invalid(
            "Column '%s' has NaN or infinities within its values, which JSON cannot hold: choose"
                    .formatted(Arguments.shown(column.name()))
                + " the format parquet");
      }
    }
  }
}
