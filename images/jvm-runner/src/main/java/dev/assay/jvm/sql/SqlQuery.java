package dev.assay.jvm.sql;

import dev.assay.jvm.chart.Charts;
import dev.assay.jvm.engine.EngineError;
import dev.assay.jvm.engine.EngineFailures;
import dev.assay.jvm.engine.JobTimeZone;
import dev.assay.jvm.engine.Session;
import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobHandler;
import dev.assay.jvm.result.ResultFiles;
import dev.assay.jvm.table.Column;
import dev.assay.jvm.table.ColumnSummary;
import dev.assay.jvm.table.ResultRows;
import dev.assay.jvm.table.TableReader;
import dev.assay.jvm.table.TableValue;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBConnection;
import org.duckdb.ProfilerPrintFormat;
import org.jspecify.annotations.Nullable;

/**
 * Runs the statements of a user and returns the rows of the last one.
 *
 * <p>The rows of a query are materialized first, so that they can be counted, summarized and cut;
 * any other statement returns what the driver reads from it.
 */
public final class SqlQuery implements JobHandler {
  /** Beyond it the query runs a second time, to count; larger limits make long results slower. */
  static final int MAX_MATERIALIZED_ROWS = 25_000;

  static final String RESULT = "temp.main.\"assay result\"";
  private static final String BEFORE = "CREATE OR REPLACE TEMP TABLE " + RESULT + " AS FROM (\n";
  private static final String AFTER = "\n) LIMIT " + (MAX_MATERIALIZED_ROWS + 1);

  /** Of the value's 256 KiB, what its other members leave. */
  private static final int TABLE_BYTES = 236 * 1024;

  private static final int SUMMARY_COLUMN_BYTES = 400;

  /** A summary of rows that are not materialized runs the query again. */
  private static final int SUMMARY_TIMEOUT_SECONDS = 5;

  private final Session session;
  private final Connection connection;
  private final ResultFiles files;

  public SqlQuery(Session session) {
    this.session = session;
    this.connection = session.connection();
    this.files = new ResultFiles(session);
  }

  @Override
  public String run(Job job) throws JobFailure, SQLException {
    JobTimeZone.require(job.reply().timeZone());
    List<SqlStatement> statements = SqlStatement.split(job.code());
    if (statements.isEmpty()) {
      throw new JobFailure(
          ErrorCode.INVALID_INPUT, "EmptyQuery", "The query is empty: pass a SQL statement");
    }
    Parameters parameters = Parameters.parse(job.input());
    parameters.requireUsed(statements);
    new RenamedColumns(session, job.code()).requireNone(statements);
    Charts charts = Charts.prepare(session, job);
    QueryErrors errors = new QueryErrors(job.code(), session);
    long began = System.nanoTime();
    for (SqlStatement statement : statements.subList(0, statements.size() - 1)) {
      execute(PreparedText.of(statement, parameters), statement, errors);
    }
    SqlStatement last = statements.getLast();
    PreparedText text = PreparedText.of(last, parameters);
    OptionalLong counted =
        last.mayBeQuery() ? materialize(text, last, errors) : OptionalLong.empty();
    if (counted.isEmpty()) {
      return statementValue(text, last, errors, began);
    }
    QueryProfile profile = profile();
    long rows = counted.getAsLong();
    // The engine does not count what it splits into several statements, such as PIVOT.
    rows = rows < 0 ? count(RESULT, List.of()) : rows;
    boolean repeatable = statements.size() == 1 && Repeatability.isRepeatable(last.tokens());
    return queryValue(job, text, new Materialized(rows, profile), repeatable, charts, began);
  }

  private void execute(PreparedText text, SqlStatement statement, QueryErrors errors)
      throws JobFailure {
    try (PreparedStatement prepared = connection.prepareStatement(text.sql())) {
      Binding.bind(connection, prepared, text.values());
      prepared.execute();
    } catch (SQLException e) {
      throw errors.explain(EngineError.of(e), text.sql(), 0, statement.start());
    }
  }

  /** The rows of a query in {@link #RESULT}, at most one more than are materialized. */
  private record Materialized(long rows, QueryProfile profile) {}

  /**
   * The number of rows, -1 if it is not known; empty if the statement is no query that can stand in
   * parentheses.
   */
  private OptionalLong materialize(PreparedText text, SqlStatement statement, QueryErrors errors)
      throws JobFailure {
    String sql = BEFORE + text.sql() + AFTER;
    try (PreparedStatement prepared = connection.prepareStatement(sql)) {
      Binding.bind(connection, prepared, text.values());
      prepared.execute();
      return OptionalLong.of(prepared.getLargeUpdateCount());
    } catch (SQLException e) {
      EngineError error = EngineError.of(e);
      if (error.isSyntax()) {
        return OptionalLong.empty(); // Run as it is, it has an error of its own, or none.
      }
      throw errors.explain(error, sql, BEFORE.length(), statement.start());
    }
  }

  private String queryValue(
      Job job,
      PreparedText text,
      Materialized result,
      boolean repeatable,
      Charts charts,
      long began)
      throws JobFailure, SQLException {
    long rows = result.rows();
    QueryProfile profile = result.profile();
    List<String> warnings = new ArrayList<>();
    String zoneWarning = session.timeZone().warning();
    if (zoneWarning != null) {
      warnings.add(zoneWarning);
    }
    boolean isCut = rows > MAX_MATERIALIZED_ROWS;
    try {
      long total = rows;
      if (isCut) {
        total = count("(\n" + text.sql() + "\n)", text.values());
      }
      if (total > ResultFiles.MAX_ROWS) {
        warnings.add(
            ("The result has %,d rows; only the first %,d are kept: aggregate, or write all rows"
                    + " to a file with COPY (SELECT ...) TO 'artifacts/rows.parquet'")
                .formatted(total, ResultFiles.MAX_ROWS));
      }
      long engineMs = millisecondsSince(began);
      List<ColumnSummary> summary = summary(text, total, isCut, warnings);
      TableValue table = files.write(job.files(), RESULT, read(total, summary.size()));
      warnings.addAll(table.warnings());
      return new SqlValue(table, engineMs, profile, repeatable, warnings, summary, charts.draw())
          .json();
    } catch (SQLException e) {
      throw partial(e, rows, profile, began);
    }
  }

  private TableValue read(long total, int summarized) throws SQLException {
    int budget = TABLE_BYTES - summarized * SUMMARY_COLUMN_BYTES;
    return TableReader.read(connection, RESULT, total, budget);
  }

  private List<ColumnSummary> summary(
      PreparedText text, long total, boolean isCut, List<String> warnings) throws SQLException {
    List<Column> columns = TableReader.columns(connection, RESULT);
    if (total <= 1 || columns.size() > ColumnSummary.MAX_COLUMNS) {
      return List.of();
    }
    if (isCut && text.values().isEmpty()) {
      try {
        String query = "(\n" + text.sql() + "\n)";
        return ColumnSummary.of(connection, query, columns, false, SUMMARY_TIMEOUT_SECONDS);
      } catch (SQLTimeoutException e) {
        // The rows that are there have to do.
      } catch (SQLException e) {
        if (session.cancellation().isRequested() || !isTimeout(e)) {
          throw e;
        }
      }
    }
    if (isCut) {
      warnings.add(
          "The column statistics are those of the first %,d rows"
              .formatted(MAX_MATERIALIZED_ROWS + 1));
    }
    return ColumnSummary.of(connection, RESULT, columns, true, 0);
  }

  private static boolean isTimeout(SQLException e) {
    EngineError error = EngineError.of(e);
    return error.isInterrupt() || error.isOutOfMemory() || error.type().equals("Binder");
  }

  /** What there is of a result, for a job that was stopped. */
  private JobFailure partial(SQLException e, long rows, QueryProfile profile, long began)
      throws SQLException {
    JobFailure failure = EngineFailures.of(EngineError.of(e), null);
    if (!session.cancellation().isRequested()) {
      return failure;
    }
    session.cancellation().end();
    long engineMs = millisecondsSince(began);
    TableValue table = read(Math.min(rows, MAX_MATERIALIZED_ROWS), 0);
    List<String> warnings = new ArrayList<>(table.warnings());
    warnings.add("The query was stopped before its rows were counted: there may be more");
    SqlValue value =
        new SqlValue(table.asPartial(), engineMs, profile, false, warnings, List.of(), null);
    return failure.withValue(value.json(failure));
  }

  private String statementValue(
      PreparedText text, SqlStatement statement, QueryErrors errors, long began) throws JobFailure {
    try (PreparedStatement prepared = connection.prepareStatement(text.sql())) {
      Binding.bind(connection, prepared, text.values());
      TableValue table =
          prepared.execute()
              ? ResultRows.read(prepared.getResultSet(), TABLE_BYTES)
              : ResultRows.ofCount(prepared.getLargeUpdateCount());
      return new SqlValue(
              table,
              millisecondsSince(began),
              QueryProfile.UNKNOWN,
              false,
              table.warnings(),
              List.of(),
              null)
          .json();
    } catch (SQLException e) {
      throw errors.explain(EngineError.of(e), text.sql(), 0, statement.start());
    }
  }

  private long count(String relation, List<@Nullable Object> values) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT count(*) FROM " + relation)) {
      Binding.bind(connection, statement, values);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private QueryProfile profile() {
    try {
      return QueryProfile.parse(
          connection
              .unwrap(DuckDBConnection.class)
              .getProfilingInformation(ProfilerPrintFormat.JSON));
    } catch (SQLException e) {
      return QueryProfile.UNKNOWN;
    }
  }

  private static long millisecondsSince(long nanoTime) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanoTime);
  }
}
