package dev.assay.jvm.result;

import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.JobFiles;
import dev.assay.jvm.table.Column;
import dev.assay.jvm.table.RowPages;
import dev.assay.jvm.table.TableReader;
import dev.assay.jvm.table.TableValue;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The files that a result leaves in the working directory: {@value #TABLE}, from which it is
 * exported and drawn, and {@value #ROWS}, further rows as a value has them, if the value has not
 * all.
 */
public final class ResultFiles {
  /** The folder of the files. */
  public static final String FOLDER = "results";

  /** The first rows with their types, as Parquet. */
  public static final String TABLE = FOLDER + "/result.parquet";

  /** The first rows as JSON arrays, one on each line. */
  public static final String ROWS = FOLDER + "/rows.ndjson";

  /** How many rows of a result are kept. */
  public static final int MAX_ROWS = 10_000;

  private static final long MAX_ROWS_BYTES = 32L * 1024 * 1024;

  private final Session session;

  public ResultFiles(Session session) {
    this.session = session;
  }

  /**
   * Writes the files, if the job keeps them and there are rows.
   *
   * @param relation whose first rows are written
   * @param shown what the value has of it
   * @return the value's table, with a warning if something could not be written: a query is
   *     answered nevertheless
   */
  public TableValue write(JobFiles files, String relation, TableValue shown) {
    if (!files.keeps(FOLDER) || shown.rows().isEmpty()) {
      return shown;
    }
    try {
      Files.createDirectories(session.workspace().resolve(FOLDER));
      writeTable(relation);
      if (shown.isTruncated()) {
        writeRows(relation, shown.columns());
      }
      return shown;
    } catch (SQLException | IOException e) {
      List<String> warnings = new ArrayList<>(shown.warnings());
      warnings.add("The result could not be stored and cannot be exported");
      return shown.withWarnings(warnings);
    }
  }

  private void writeTable(String relation) throws SQLException {
    Connection connection = session.connection();
    String columns =
        PortableColumns.of(connection, relation, TableReader.columns(connection, relation));
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "COPY (SELECT %s FROM %s LIMIT %d) TO %s (FORMAT parquet)"
              .formatted(columns, relation, MAX_ROWS, Session.literal(path(TABLE).toString())));
    }
  }

  private void writeRows(String relation, List<Column> columns) throws SQLException, IOException {
    try (BufferedWriter rows = Files.newBufferedWriter(path(ROWS))) {
      long[] room = {MAX_ROWS_BYTES};
      RowPages.read(
          session.connection(),
          relation,
          columns,
          MAX_ROWS,
          (row, shortened) -> {
            room[0] -= row.length() + 1L;
            if (room[0] < 0) {
              return false;
            }
            rows.write(row);
            rows.write('\n');
            return true;
          });
    }
  }

  private Path path(String name) {
    return session.workspace().resolve(name);
  }
}
