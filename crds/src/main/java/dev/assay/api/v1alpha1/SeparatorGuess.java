package dev.assay.api.v1alpha1;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How a table that was read as one column was probably meant to be read.
 *
 * @param separator between its columns
 * @param decimalCommas whether its values have decimal commas
 * @param thousandsPoints whether its values have points between thousands
 */
public record SeparatorGuess(String separator, boolean decimalCommas, boolean thousandsPoints) {
  private static final Pattern DECIMAL_COMMA = Pattern.compile("\\d,\\d");
  private static final Pattern THOUSANDS_POINT = Pattern.compile("\\d\\.\\d{3}(,\\d|\\W|$)");

  /**
   * A guess; empty if the only column's name contains no separator.
   *
   * @param column name of the only column
   * @param samples some of its values
   */
  public static Optional<SeparatorGuess> of(String column, List<String> samples) {
    return Stream.of(";", "\t", "|")
        .filter(column::contains)
        .findFirst()
        .map(
            separator -> {
              boolean decimal =
                  samples.stream()
                      .anyMatch(
                          sample ->
                              DECIMAL_COMMA.matcher(sample).find()
                                  || isRestOfNumber(sample, column, separator));
              return new SeparatorGuess(
                  separator,
                  decimal,
                  decimal
                      && samples.stream()
                          .anyMatch(sample -> THOUSANDS_POINT.matcher(sample).find()));
            });
  }

  /**
   * Whether the row was split at a decimal comma. pandas then takes what comes before the comma as
   * the index, so that the value begins with decimals and lacks columns that the header names.
   */
  private static boolean isRestOfNumber(String sample, String column, String separator) {
    return !sample.isEmpty()
        && Character.isDigit(sample.charAt(0))
        && count(sample, separator) < count(column, separator);
  }

  private static long count(String text, String separator) {
    return text.chars().filter(c -> c == separator.charAt(0)).count();
  }

  /** The options of pandas that read the table so. */
  public Map<String, String> options() {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("sep", separator);
    if (decimalCommas) {
      options.put("decimal", ",");
    }
    if (thousandsPoints) {
      options.put("thousands", ".");
    }
    return options;
  }
}
