package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An export, or why there is none.
 *
 * @param exported whether the files were written
 * @param outputPath of the file, or of the folder with one file for each value
 * @param rowCount rows in all files
 * @param fileSize of all files, for people
 * @param filesCreated paths of the files
 * @param queryId name of the run that wrote them, which has them as artifacts
 * @param resultType error or in_progress; absent otherwise
 * @param message how to follow the run, where it has not ended
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ExportDocument(
    boolean exported,
    @JsonProperty("output_path") @Nullable String outputPath,
    @JsonProperty("row_count") @Nullable Long rowCount,
    @JsonProperty("file_size") @Nullable String fileSize,
    @JsonProperty("files_created") @Nullable List<String> filesCreated,
    @JsonProperty("query_id") @Nullable String queryId,
    @Nullable List<String> warnings,
    @JsonProperty("result_type") @Nullable String resultType,
    @Nullable String message,
    @Nullable AnalyticsError error,
    @JsonProperty("context_tokens_used") int contextTokensUsed) {}
