package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.assay.frontend.dataset.DatasetNote;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The profile of a dataset, an error, or the run that has not ended.
 *
 * @param resultType error or in_progress; absent otherwise
 * @param omittedColumns the last ones, for which there was no room
 * @param reducedColumns how many of the columns shown lack details, for lack of room
 * @param notes what the dataset does not have as its source has it, the gravest first
 * @param omittedNotes how many more there are
 * @param queryId name of the run
 * @param message how to follow the run, where it has not ended
 * @param contextTokensUsed estimated tokens of the text of the reply
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ProfileDocument(
    @JsonProperty("result_type") @Nullable String resultType,
    @Nullable Schema schema,
    @Nullable Statistics statistics,
    @Nullable List<String> recommendations,
    @JsonProperty("omitted_columns") @Nullable Long omittedColumns,
    @JsonProperty("reduced_columns") @Nullable Integer reducedColumns,
    @Nullable List<DatasetNote> notes,
    @JsonProperty("omitted_notes") @Nullable Integer omittedNotes,
    @Nullable List<String> warnings,
    @JsonProperty("query_id") @Nullable String queryId,
    @JsonProperty("cache_hit") @Nullable Boolean cacheHit,
    @Nullable String message,
    @Nullable AnalyticsError error,
    @JsonProperty("context_tokens_used") int contextTokensUsed) {

  /** The columns, in the order of the table. */
  public record Schema(List<ColumnProfile> columns) {}

  /**
   * The table as a whole.
   *
   * @param memoryEstimate of its columns in Arrow's format, such as 12.3 MiB
   * @param fileSize of its source, such as 4.5 MiB
   * @param qualityScore 0 to 100
   * @param duplicateRowsApprox true where they were estimated
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Statistics(
      @JsonProperty("row_count") long rowCount,
      @JsonProperty("column_count") long columnCount,
      @JsonProperty("memory_estimate") String memoryEstimate,
      @JsonProperty("file_size") String fileSize,
      @JsonProperty("quality_score") double qualityScore,
      @JsonProperty("duplicate_rows") @Nullable Long duplicateRows,
      @JsonProperty("duplicate_rows_approx") @Nullable Boolean duplicateRowsApprox) {}
}
