package dev.assay.jvm.profile;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a sample of rows shows of a column.
 *
 * @param dates how its texts are written if all are dates, else null
 * @param isNumeric whether all of its texts are numbers
 * @param textBytes bytes of a value's text on average
 * @param samples some different values as JSON, in their order
 */
record Inference(
    @Nullable DateFormat dates, boolean isNumeric, double textBytes, List<String> samples) {
  /** Where no sample was taken. */
  static final Inference NONE = new Inference(null, false, 0, List.of());

  Inference {
    samples = List.copyOf(samples);
  }
}
