package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a sample was taken.
 *
 * @param seed that repeats it; absent where none was given
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SamplingInfo(
    String strategy,
    @JsonProperty("rows_sampled") long rowsSampled,
    @JsonProperty("total_rows") long totalRows,
    @JsonProperty("columns_included") List<String> columnsIncluded,
    @Nullable Long seed) {}
