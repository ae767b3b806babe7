package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a query, its error, or the run that has not ended.
 *
 * @param resultType tabular, aggregation, chart, error or in_progress
 * @param data rows as objects; the first rows of {@code total_rows}
 * @param csv the same as text, where that was asked for
 * @param columnSummary statistics of the columns of the complete result
 * @param columns names of the columns that are shown
 * @param columnTypes their types, as the engine names them
 * @param totalRows of the complete result
 * @param truncated whether {@code returned_rows} is less
 * @param queryId name of the run, for get_run
 * @param warnings what to know about the result, and what the reply leaves out
 * @param stdout what Python code printed
 * @param visualization the chart, where one was wanted and drawn
 * @param partial true where the rows were there before an error
 * @param message how to follow the run, where it has not ended
 * @param contextTokensUsed estimated tokens of the text of the reply
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record QueryDocument(
    @JsonProperty("result_type") String resultType,
    @Nullable List<Map<String, @Nullable Object>> data,
    @Nullable String csv,
    @JsonProperty("column_summary") @Nullable List<ColumnSummary> columnSummary,
    @Nullable Summary summary,
    @Nullable List<String> columns,
    @JsonProperty("column_types") @Nullable List<String> columnTypes,
    @JsonProperty("total_rows") @Nullable Long totalRows,
    @JsonProperty("returned_rows") @Nullable Integer returnedRows,
    @Nullable Boolean truncated,
    @JsonProperty("query_id") @Nullable String queryId,
    @Nullable List<String> warnings,
    @Nullable String stdout,
    @Nullable Visualization visualization,
    @Nullable Boolean partial,
    @Nullable String message,
    @Nullable AnalyticsError error,
    @JsonProperty("context_tokens_used") int contextTokensUsed) {

  /**
   * How it was executed.
   *
   * @param rowsProcessed rows that were read
   * @param executionTimeMs time of the engine
   * @param cacheHit whether the result is an earlier one
   */
  public record Summary(
      @JsonProperty("rows_processed") long rowsProcessed,
      @JsonProperty("execution_time_ms") long executionTimeMs,
      @JsonProperty("cache_hit") boolean cacheHit,
      @JsonProperty("engine_used") String engineUsed) {}
}
