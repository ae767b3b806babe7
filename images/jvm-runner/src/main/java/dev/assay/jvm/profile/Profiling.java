package dev.assay.jvm.profile;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Profiles a table, a group of columns at a time: a sample of it, then all of its rows, then the
 * columns that have few different values.
 */
final class Profiling {
  /** Each aggregate over different values takes some megabytes. */
  private static final int BATCH = 40;

  /** Where each query has to bind thousands of columns, fewer queries are faster. */
  private static final int WIDE_BATCH = 500;

  private final Connection connection;
  private final SourceTable table;
  private final ProfileArguments arguments;
  private final SampleScan samples;
  private final StatisticsScan statistics;
  private final boolean withStatistics;
  private final DuplicateRows duplicates;

  Profiling(Connection connection, SourceTable table, ProfileArguments arguments) {
    this.connection = connection;
    this.table = table;
    this.arguments = arguments;
    this.withStatistics = arguments.computeStats() && !table.isWide();
    this.samples = new SampleScan(connection, table, arguments.sampleSize());
    this.statistics = new StatisticsScan(connection, table, withStatistics);
    this.duplicates = DuplicateRows.of(table.rows());
  }

  /**
   * Profiles the table.
   *
   * @param fileBytes of its source
   */
  TableProfile run(long fileBytes) throws SQLException {
    List<List<SourceColumn>> batches = table.batches(table.isWide() ? WIDE_BATCH : BATCH);
    List<ColumnProfile> columns = new ArrayList<>();
    for (List<SourceColumn> batch : batches) {
      columns.addAll(profile(batch));
    }
    long memory = columns.stream().mapToLong(column -> column.statistics().bytes()).sum();
    return new TableProfile(
        columns, table.rows(), memory, fileBytes, duplicateRows(), !duplicates.isExact());
  }

  private List<ColumnProfile> profile(List<SourceColumn> batch) throws SQLException {
    List<Inference> inferences =
        table.isWide() ? Collections.nCopies(batch.size(), Inference.NONE) : samples.run(batch);
    List<ColumnStatistics> found = statistics.run(batch, inferences);
    Map<SourceColumn, TopValues> top = top(batch, found);
    List<ColumnProfile> profiles = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      profiles.add(
          ColumnProfile.of(
              batch.get(i),
              table.rows(),
              found.get(i),
              inferences.get(i),
              top.get(batch.get(i)),
              arguments.maxCategories()));
    }
    return profiles;
  }

  private long duplicateRows() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(duplicates.query(table))) {
      row.next();
      return duplicates.estimate(row.getLong(1), row.getLong(2));
    }
  }

  /** Frequent values; for large tables also because they make small numbers of values exact. */
  private Map<SourceColumn, TopValues> top(List<SourceColumn> batch, List<ColumnStatistics> found)
      throws SQLException {
    List<SourceColumn> columns = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      boolean isWanted = withStatistics || (!table.isWide() && found.get(i).isApproximate());
      if (isWanted && TopScan.isFor(batch.get(i), found.get(i))) {
        columns.add(batch.get(i));
      }
    }
    Map<SourceColumn, TopValues> top = new LinkedHashMap<>();
    if (!columns.isEmpty()) {
      List<TopValues> values = new TopScan(connection, table).run(columns);
      for (int i = 0; i < columns.size(); i++) {
        top.put(columns.get(i), withStatistics ? values.get(i) : values.get(i).withoutValues());
      }
    }
    return top;
  }
}
