package dev.assay.jvm.profile;

import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks at some rows of the table: their values, and what texts mean. */
final class SampleScan {
  private static final int MIN_DATE_BYTES = 6;
  private static final int MAX_DATE_BYTES = 40;
  private static final int SAMPLES = 5;

  private final Connection connection;
  private final SourceTable table;
  private final int sampleSize;

  SampleScan(Connection connection, SourceTable table, int sampleSize) {
    this.connection = connection;
    this.table = table;
    this.sampleSize = sampleSize;
  }

  /** Looks at a few columns. */
  List<Inference> run(List<SourceColumn> columns) throws SQLException {
    List<Inference> found = new ArrayList<>();
    List<Boolean> dated = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query(columns))) {
      row.next();
      int position = 1;
      for (SourceColumn column : columns) {
        long values = row.getLong(position++);
        double bytes = row.getDouble(position++);
        boolean isText = column.storage() == StorageType.TEXT && values > 0;
        boolean isIso = isText && row.getLong(position) == values;
        dated.add(isText && !isIso && row.getLong(position + 1) == values);
        long plain = row.getLong(position + 2);
        String numbers = isText ? numbers(row, position + 3, values, plain) : null;
        position += 7;
        List<String> samples = samples(column, row.getArray(position++));
        DateFormat dates = isIso ? DateFormat.ISO : null;
        boolean isNumeric = isText && plain == values;
        found.add(new Inference(dates, null, isNumeric, numbers, bytes, samples));
      }
    }
    for (int i = 0; i < columns.size(); i++) {
      if (dated.get(i)) {
        found.set(i, found.get(i).withDates(formats(columns.get(i))));
      }
    }
    return found;
  }

  private static @Nullable String numbers(ResultSet row, int first, long values, long plain)
      throws SQLException {
    return NumberForms.describe(
        values,
        plain,
        row.getLong(first),
        row.getLong(first + 1),
        row.getLong(first + 2),
        texts(row.getArray(first + 3)));
  }

  private static List<String> texts(@Nullable Array array) throws SQLException {
    List<String> texts = new ArrayList<>();
    if (array != null) {
      for (Object text : (Object[]) array.getArray()) {
        texts.add(String.valueOf(text));
      }
    }
    return texts;
  }

  private static List<String> samples(SourceColumn column, @Nullable Array values)
      throws SQLException {
    return List.copyOf(new LinkedHashSet<>(Values.jsonList(column.type(), values)));
  }

  private String query(List<SourceColumn> columns) {
    String inner =
        columns.stream()
            .map(this::aggregates)
            .collect(Collectors.joining(",", "SELECT ", " FROM " + rows(columns)));
    return columns.stream()
        .map(this::results)
        .collect(Collectors.joining(",", "SELECT ", " FROM (" + inner + ")"));
  }

  private String aggregates(SourceColumn column) {
    String name = column.alias();
    List<String> aggregates = new ArrayList<>();
    aggregates.add("count(" + column.value() + ") AS n" + name);
    aggregates.add("coalesce(avg(strlen(" + column.asText() + ")), 0) AS b" + name);
    if (column.storage() == StorageType.TEXT) {
      String text = shortText(column);
      aggregates.add("count(" + DateFormat.ISO.parsed(text) + ") AS i" + name);
      aggregates.add("count(" + DateFormat.parsedByAny(dateLike(column)) + ") AS d" + name);
      aggregates.add("count(try_cast(" + text + " AS DOUBLE)) AS f" + name);
      aggregates.addAll(NumberForms.aggregates(text, name));
    }
    String value = isSortedAsText(column) ? Values.shortened(column.asText()) : column.finite();
    aggregates.add("map_keys(histogram(" + value + ")) AS k" + name);
    return String.join(",", aggregates);
  }

  private static boolean isSortedAsText(SourceColumn column) {
    return switch (column.storage()) {
      case TEXT, ENUM, OTHER -> true;
      case INTEGER, WIDE_INTEGER, FLOATING, DECIMAL, BOOLEAN, TIME -> false;
    };
  }

  private String results(SourceColumn column) {
    String name = column.alias();
    String texts =
        column.storage() == StorageType.TEXT
            ? "n%1$s, b%1$s, i%1$s, d%1$s, f%1$s, ".formatted(name) + NumberForms.results(name)
            : "n%1$s, b%1$s, 0, 0, 0, 0, 0, 0, NULL::VARCHAR[]".formatted(name);
    String key = "k%1$s[1 + ((len(k%1$s) - 1) * i) // %2$d]".formatted(name, SAMPLES - 1);
    return texts
        + ", list_transform(range(%d), lambda i: %s)".formatted(SAMPLES, Values.shortened(key));
  }

  /** Texts that may be dates: to try all formats takes long. */
  private static String dateLike(SourceColumn column) {
    String mayBeDate = DateFormat.mayBeOther("trim(" + column.alias() + ")");
    return "(CASE WHEN strlen(%1$s) BETWEEN %2$d AND %3$d AND regexp_matches(%1$s, '%4$s') AND %5$s THEN trim(%1$s) END)"
        .formatted(
            column.alias(), MIN_DATE_BYTES, MAX_DATE_BYTES, "[0-9].*[ ./-].*[0-9]", mayBeDate);
  }

  private static String shortText(SourceColumn column) {
    return "(CASE WHEN strlen(%1$s) <= %2$d THEN trim(%1$s) END)"
        .formatted(column.alias(), MAX_DATE_BYTES);
  }

  /**
   * About as many rows as wanted, in a FROM clause. A hash of their positions chooses them, since
   * each n-th row may have the same value.
   */
  private String rows(List<SourceColumn> columns) {
    long all = table.rows();
    if (all <= sampleSize) {
      return table.aliased();
    }
    String names = columns.stream().map(SourceColumn::alias).collect(Collectors.joining(","));
    return "(SELECT %s, row_number() OVER () AS r FROM %s) WHERE hash(r) %% %d < %d"
        .formatted(names, table.aliased(), all, sampleSize);
  }

  /**
   * The first format that all texts of the sample have, and the one with day and month exchanged if
   * they have that too.
   */
  private List<DateFormat> formats(SourceColumn column) throws SQLException {
    String counts =
        DateFormat.OTHERS.stream()
            .map(format -> "count(" + format.parsed(shortText(column)) + ")")
            .collect(Collectors.joining(","));
    String query =
        "SELECT count(%s), %s FROM %s".formatted(column.alias(), counts, rows(List.of(column)));
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      List<DateFormat> fitting = new ArrayList<>();
      for (int i = 0; i < DateFormat.OTHERS.size(); i++) {
        if (row.getLong(i + 2) == row.getLong(1)) {
          fitting.add(DateFormat.OTHERS.get(i));
        }
      }
      return fitting.stream()
          .filter(
              format ->
                  format.equals(fitting.getFirst())
                      || format.equals(fitting.getFirst().exchanged()))
          .toList();
    }
  }
}
