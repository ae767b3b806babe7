package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of one column of a complete result.
 *
 * @param nulls missing values
 * @param distinct different values
 * @param min a number or a text, as are {@code max} and {@code mean}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ColumnSummary(
    String name,
    String type,
    @Nullable Long nulls,
    @Nullable Long distinct,
    @Nullable Object min,
    @Nullable Object max,
    @Nullable Object mean) {
  static final List<String> NAMES =
      List.of("name", "type", "nulls", "distinct", "min", "max", "mean");

  List<@Nullable Object> cells() {
    return Arrays.asList(name, type, nulls, distinct, min, max, mean);
  }
}
