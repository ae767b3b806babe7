package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a dataset, an error, or the run that has not ended.
 *
 * @param resultType error or in_progress; absent otherwise
 * @param sample rows as objects
 * @param queryId name of the run
 * @param message how to follow the run, where it has not ended
 * @param contextTokensUsed estimated tokens of the text of the reply
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SampleDocument(
    @JsonProperty("result_type") @Nullable String resultType,
    @Nullable List<Map<String, @Nullable Object>> sample,
    @JsonProperty("sampling_info") @Nullable SamplingInfo samplingInfo,
    @Nullable List<String> warnings,
    @JsonProperty("query_id") @Nullable String queryId,
    @JsonProperty("cache_hit") @Nullable Boolean cacheHit,
    @Nullable String message,
    @Nullable AnalyticsError error,
    @JsonProperty("context_tokens_used") int contextTokensUsed) {}
