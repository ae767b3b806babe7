package dev.assay.jvm.profile;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a sample of rows shows of a column.
 *
 * @param dates how its texts are written if all are dates, else null
 * @param otherDates the same with day and month exchanged, if all dates fit that too, else null
 * @param isNumeric whether all of its texts are numbers
 * @param numbers what is around its numbers, if all texts are numbers with something, else null
 * @param textBytes bytes of a value's text on average
 * @param samples some different values as JSON, in their order
 */
record Inference(
    @Nullable DateFormat dates,
    @Nullable DateFormat otherDates,
    boolean isNumeric,
    @Nullable String numbers,
    double textBytes,
    List<String> samples) {
  /** Where no sample was taken. */
  static final Inference NONE = new Inference(null, null, false, null, 0, List.of());

  Inference {
    samples = List.copyOf(samples);
  }

  /** The same, with the formats that its dates have; none if there are none. */
  Inference withDates(List<DateFormat> formats) {
    return new Inference(
        formats.isEmpty() ? null : formats.getFirst(),
        formats.size() < 2 ? null : formats.get(1),
        isNumeric,
        numbers,
        textBytes,
        samples);
  }
}
