package dev.assay.frontend.analytics;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One column of a profile.
 *
 * @param type int64, float64, string, bool, datetime or category
 * @param storedAs {@code string} where values of another type are kept as text
 * @param nullPct missing values, in percent of the rows
 * @param uniqueCount different values
 * @param uniqueCountApprox true where they were estimated
 * @param sampleValues some of its values; empty where a reply had no room for them
 * @param top the most frequent values
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ColumnProfile(
    String name,
    String type,
    @JsonProperty("stored_as") @Nullable String storedAs,
    @JsonProperty("null_pct") double nullPct,
    @JsonProperty("unique_count") long uniqueCount,
    @JsonProperty("unique_count_approx") @Nullable Boolean uniqueCountApprox,
    @JsonProperty("sample_values") List<@Nullable Object> sampleValues,
    @Nullable Object min,
    @Nullable Object max,
    @Nullable Object mean,
    @Nullable Object q25,
    @Nullable Object q50,
    @Nullable Object q75,
    @Nullable List<Top> top) {
  /** A frequent value. */
  public record Top(@Nullable Object value, long count) {}

  /** The same without what takes most room: samples, quartiles, frequent values. */
  ColumnProfile withRangeAlone() {
    return new ColumnProfile(
        name,
        type,
        storedAs,
        nullPct,
        uniqueCount,
        uniqueCountApprox,
        List.of(),
        min,
        max,
        null,
        null,
        null,
        null,
        null);
  }

  /** Without any values. */
  ColumnProfile withoutValues() {
    return new ColumnProfile(
        name,
        type,
        storedAs,
        nullPct,
        uniqueCount,
        uniqueCountApprox,
        List.of(),
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }
}
