package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a sample was taken, and what of it there was no room for.
 *
 * @param rowsSampled those that are shown, which are a sample of the strategy
 * @param rowsOmitted further ones that were drawn; absent if there are none
 * @param columnsOmitted number of the last columns that are not shown; absent if all are
 * @param columnsShortened those with values that were shortened; absent if there are none
 * @param strata values of the column: with fewer rows than these, the most frequent have one each;
 *     absent without strata
 * @param seed that repeats it; absent where none was given
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SamplingInfo(
    String strategy,
    @JsonProperty("rows_sampled") long rowsSampled,
    @JsonProperty("total_rows") long totalRows,
    @JsonProperty("columns_included") List<String> columnsIncluded,
    @JsonProperty("rows_omitted") @Nullable Integer rowsOmitted,
    @JsonProperty("columns_omitted") @Nullable Integer columnsOmitted,
    @JsonProperty("columns_shortened") @Nullable List<String> columnsShortened,
    @Nullable Long strata,
    @Nullable Long seed) {}
