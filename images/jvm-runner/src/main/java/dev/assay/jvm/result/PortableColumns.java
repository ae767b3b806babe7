package dev.assay.jvm.result;

import dev.assay.jvm.engine.Session;
import dev.assay.jvm.table.Column;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Selects the columns of a result so that a Parquet file holds their values. DuckDB would write
 * integers of 128 bits, such as sums, as floating point numbers.
 */
final class PortableColumns {
  private static final Set<String> LARGE_INTEGERS = Set.of("HUGEINT", "UHUGEINT");
  private static final BigInteger MAX_DECIMAL = BigInteger.TEN.pow(38);

  private PortableColumns() {}

  /** The SELECT list for the columns of a relation. */
  static String of(Connection connection, String relation, List<Column> columns)
      throws SQLException {
    List<Column> large =
        columns.stream().filter(column -> LARGE_INTEGERS.contains(column.type())).toList();
    List<String> largeTypes = large.isEmpty() ? List.of() : types(connection, relation, large);
    return columns.stream()
        .map(
            column -> {
              int position = large.indexOf(column);
              return expression(column, position < 0 ? null : largeTypes.get(position));
            })
        .collect(Collectors.joining(", "));
  }

  private static String expression(Column column, @Nullable String largeType) {
    String name = Session.quoted(column.name());
    String type = largeType == null ? type(column.type()) : largeType;
    return type.equals(column.type()) ? name : "CAST(%s AS %s) AS %s".formatted(name, type, name);
  }

  private static String type(String type) {
    if (type.startsWith("UNION(") || type.equals("TIME WITH TIME ZONE") || type.equals("VARIANT")) {
      return "VARCHAR";
    }
    return type.contains("HUGEINT") ? type.replaceAll("\\bU?HUGEINT\\b", "DECIMAL(38,0)") : type;
  }

  /** The smallest type that holds all values of each column. */
  private static List<String> types(Connection connection, String relation, List<Column> columns)
      throws SQLException {
    String bounds =
        columns.stream()
            .map(column -> Session.quoted(column.name()))
            .map(name -> "CAST(min(%s) AS VARCHAR), CAST(max(%s) AS VARCHAR)".formatted(name, name))
            .collect(Collectors.joining(", ", "SELECT ", " FROM " + relation));
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(bounds)) {
      row.next();
      String[] types = new String[columns.size()];
      for (int i = 0; i < types.length; i++) {
        types[i] = type(row.getString(2 * i + 1), row.getString(2 * i + 2));
      }
      return List.of(types);
    }
  }

  private static String type(@Nullable String least, @Nullable String most) {
    if (least == null || most == null) {
      return "BIGINT";
    }
    BigInteger lower = new BigInteger(least);
    BigInteger upper = new BigInteger(most);
    if (lower.bitLength() < Long.SIZE && upper.bitLength() < Long.SIZE) {
      return "BIGINT";
    }
    return lower.abs().max(upper.abs()).compareTo(MAX_DECIMAL) < 0 ? "DECIMAL(38,0)" : "VARCHAR";
  }
}
