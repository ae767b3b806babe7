package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of one column of a complete result.
 *
 * @param nulls missing values
 * @param distinct different values
 * @param distinctApprox true where they were estimated
 * @param min a number or a text, as are {@code max} and {@code mean}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ColumnSummary(
    String name,
    String type,
    @Nullable Long nulls,
    @Nullable Long distinct,
    @JsonProperty("distinct_approx") @Nullable Boolean distinctApprox,
    @Nullable Object min,
    @Nullable Object max,
    @Nullable Object mean) {
  static final List<String> NAMES =
      List.of("name", "type", "nulls", "distinct", "min", "max", "mean");

  List<@Nullable Object> cells() {
    return Arrays.asList(
        name, type, nulls, distinctApprox == null ? distinct : "~" + distinct, min, max, mean);
  }
}
