package dev.assay.jvm.profile;

import java.util.List;

/**
 * The most frequent values of a column.
 *
 * @param distinct different values, exactly
 * @param values the most frequent ones first
 */
record TopValues(long distinct, List<Top> values) {
  TopValues {
    values = List.copyOf(values);
  }

  /** The number of different values alone. */
  TopValues withoutValues() {
    return new TopValues(distinct, List.of());
  }

  /**
   * A frequent value.
   *
   * @param value as JSON
   * @param count rows that have it
   */
  record Top(String value, long count) {}
}
