package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which cached results were forgotten, or an error.
 *
 * @param resultType error; absent otherwise
 * @param keysRemoved the cache_key of each, or its query_id where it had none; at most 100
 * @param inProgress queries that were being computed, whose results will not be used again; absent
 *     for none
 * @param hasMore true where results are left that another call forgets; absent otherwise
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record InvalidationDocument(
    @JsonProperty("result_type") @Nullable String resultType,
    @JsonProperty("invalidated_count") int invalidatedCount,
    @JsonProperty("keys_removed") List<String> keysRemoved,
    @JsonProperty("in_progress") @Nullable Integer inProgress,
    @JsonProperty("has_more") @Nullable Boolean hasMore,
    @Nullable AnalyticsError error) {}
