package dev.assay.jvm.export;

import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.table.Column;
import dev.assay.jvm.table.TableReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * The stored result of a run.
 *
 * @param relation the table in SQL
 */
record StoredResult(Connection connection, String relation, List<Column> columns, long rows) {
  StoredResult {
    columns = List.copyOf(columns);
  }

  static StoredResult open(Connection connection, Path file) throws JobFailure {
    String relation = "read_parquet(" + Session.literal(file.toString()) + ")";
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM " + relation)) {
      row.next();
      return new StoredResult(
          connection, relation, TableReader.columns(connection, relation), row.getLong(1));
    } catch (SQLException e) {
      throw new JobFailure(
          ErrorCode.FILE_NOT_FOUND,
          "ResultNotFound",
          "The input is not the stored result of a query: run the query again, and export that");
    }
  }
}
