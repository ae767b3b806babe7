package dev.assay.frontend.analytics;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a run of an analytics tool returned. It comes from inside a Pod; {@link #read} has checked
 * its form, and nothing of what it says.
 *
 * @param table rows of a query or a sample
 * @param profile of a dataset
 * @param sampling how the rows were sampled
 * @param chart of the rows; null where none was drawn
 * @param chartError why none was drawn; null where one was, or none was wanted
 * @param export the files that rows were written to
 * @param failure what is known of an error beside its message
 * @param engine that ran it: duckdb, polars or pandas
 * @param engineMs how long the engine took
 * @param rowsScanned rows that were read; null where that is not known
 * @param aggregation whether the result is an aggregate or one value
 * @param warnings for the caller, each one line
 * @param summary statistics of each column of the complete result; empty where there are none
 */
public record AnalyticsValue(
    @Nullable TableValue table,
    @Nullable Profile profile,
    @Nullable Sampling sampling,
    @Nullable Chart chart,
    @Nullable String chartError,
    @Nullable Export export,
    @Nullable Failure failure,
    @Nullable String engine,
    long engineMs,
    @Nullable Long rowsScanned,
    boolean aggregation,
    List<String> warnings,
    List<ColumnSummary> summary) {

  /**
   * What is known of an error.
   *
   * @param suggestions what to do, each one line
   * @param context the line of the query, with a caret below
   * @param missingName the name of a table or a variable that was not found
   */
  public record Failure(
      List<String> suggestions, @Nullable String context, @Nullable String missingName) {}

  /**
   * A chart.
   *
   * @param type bar, line, scatter, histogram or heatmap
   * @param x the column of this axis
   * @param y the column of that axis; null where it has counts
   * @param points how many were drawn
   * @param note what was reduced or left out; null where nothing was
   */
  public record Chart(
      String type, String x, @Nullable String y, long points, @Nullable String note) {}

  /**
   * Files that rows were written to.
   *
   * @param paths relative to the working directory
   * @param bytes of all files
   * @param rows in all files
   */
  public record Export(List<String> paths, long bytes, long rows) {
    public Export {
      paths = List.copyOf(paths);
    }
  }

  /** The same with further warnings before its own. */
  public AnalyticsValue warning(List<String> further) {
    return further.isEmpty()
        ? this
        : new AnalyticsValue(
            table,
            profile,
            sampling,
            chart,
            chartError,
            export,
            failure,
            engine,
            engineMs,
            rowsScanned,
            aggregation,
            Stream.concat(further.stream(), warnings.stream()).toList(),
            summary);
  }

  /**
   * Reads a value.
   *
   * @param json text that anybody may have written
   * @throws InvalidValueException where it is too large, too deep, or of another form
   */
  public static AnalyticsValue read(String json) {
    return ValueReader.read(json);
  }
}
