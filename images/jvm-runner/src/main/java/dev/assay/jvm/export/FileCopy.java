package dev.assay.jvm.export;

import dev.assay.jvm.builtin.Arguments;
import dev.assay.jvm.builtin.BuiltinTable;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.table.Column;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Writes a result with DuckDB's COPY. */
final class FileCopy {
  /** A value is a folder, whose name an artifact's path has room for. */
  private static final int MAX_VALUE_BYTES = 120;

  private final StoredResult result;
  private final ExportArguments arguments;

  FileCopy(StoredResult result, ExportArguments arguments) {
    this.result = result;
    this.arguments = arguments;
  }

  /** Writes one file. */
  void toFile(Path file) throws JobFailure, SQLException {
    execute("COPY (%s) TO %s (%s)".formatted(query(), literal(file), options()));
  }

  /**
   * Writes a file for each value of a column, in folders as Hive names them.
   *
   * @param maxFiles above which the export is refused
   */
  void toFolders(Path folder, String partitionBy, int maxFiles) throws JobFailure, SQLException {
    String column = column(partitionBy);
    requireFew(column, maxFiles);
    execute(
        "COPY (%s) TO %s (%s, PARTITION_BY (%s), FILENAME_PATTERN 'part_{i}', FILE_EXTENSION %s)"
            .formatted(
                query(),
                literal(folder),
                options(),
                Session.quoted(column),
                Session.literal(arguments.extension())));
  }

  private String column(String wanted) throws JobFailure {
    List<String> names = result.columns().stream().map(Column::name).toList();
    if (names.size() == 1) {
      throw Arguments.invalid(
          "Argument 'partitionBy' is for results of two columns and more: leave it out");
    }
    if (names.contains(wanted)) {
      return wanted;
    }
    for (String name : names) {
      if (name.equalsIgnoreCase(wanted)) {
        return name;
      }
    }
    throw new JobFailure(
        ErrorCode.SCHEMA_ERROR,
        "ColumnNotFound",
        "Column '%s' of 'partitionBy' not found".formatted(Arguments.shown(wanted)),
        null,
        BuiltinTable.suggestions(wanted, names));
  }

  private void requireFew(String column, int maxFiles) throws JobFailure, SQLException {
    String query =
        "SELECT count(DISTINCT v), coalesce(max(strlen(url_encode(CAST(v AS VARCHAR)))), 0)"
            + " FROM (SELECT %s AS v FROM %s)".formatted(Session.quoted(column), result.relation());
    try (Statement statement = result.connection().createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      if (row.getLong(1) >= maxFiles) {
        throw Arguments.invalid(
            "Argument 'partitionBy' is a column of %,d values, each of which is a file, and fewer"
                    .formatted(row.getLong(1))
                + " than %d can be kept: choose a column of fewer values".formatted(maxFiles));
      }
      if (row.getLong(2) > MAX_VALUE_BYTES) {
        throw Arguments.invalid(
            "Argument 'partitionBy' is a column with a value that is too long for the name of a"
                + " folder: choose another column");
      }
    }
  }

  private String query() throws JobFailure, SQLException {
    return arguments.format() == ExportFormat.JSON
        ? new JsonColumns(result).query()
        : "FROM " + result.relation();
  }

  private String options() {
    String format =
        switch (arguments.format()) {
          case CSV -> "FORMAT csv, HEADER true";
          case JSON -> "FORMAT json, ARRAY true";
          default -> "FORMAT parquet";
        };
    return format + ", COMPRESSION " + Session.literal(codec());
  }

  private String codec() {
    // CSV and JSON know "none", Parquet "uncompressed".
    boolean isNone = arguments.compression() == Compression.NONE;
    return isNone && arguments.format() != ExportFormat.PARQUET
        ? "none"
        : arguments.compression().codec();
  }

  private static String literal(Path path) {
    return Session.literal(path.toString());
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = result.connection().createStatement()) {
      statement.execute(sql);
    }
  }
}
