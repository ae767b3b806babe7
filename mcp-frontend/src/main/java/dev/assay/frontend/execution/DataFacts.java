package dev.assay.frontend.execution;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What is known of the data that code works on.
 *
 * @param columns of all datasets
 * @param rows of the first dataset
 * @param bytes of the source of the first dataset
 */
public record DataFacts(List<String> columns, long rows, long bytes) {
  /** Nothing. */
  public static final DataFacts NONE = new DataFacts(List.of(), 0, 0);

  private static final long LARGE = 10_000_000;
  private static final int SAMPLE = 100_000;

  public DataFacts {
    columns = List.copyOf(columns);
  }

  /** What to do with data that is large; empty where it is not. */
  Optional<String> advice() {
    return bytes <= LARGE
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "The data has %d rows (%d MB): try the code on a sample first, df.sample(%d)",
                rows,
                bytes / 1_000_000,
                Math.min(SAMPLE, Math.max(1, rows / 10))));
  }
}
