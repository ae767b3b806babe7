package dev.assay.frontend.run;

import java.util.List;
import java.util.Locale;

/** Sizes for people. */
public final class ByteSize {
  private static final List<String> UNITS = List.of("KiB", "MiB", "GiB", "TiB");
  private static final int STEP = 1024;

  private ByteSize() {}

  /** Such as {@code 512 B} or {@code 12.3 MiB}. */
  public static String text(long bytes) {
    if (bytes < STEP) {
      return bytes + " B";
    }
    double size = (double) bytes / STEP;
    int unit = 0;
    while (size >= STEP && unit < UNITS.size() - 1) {
      size /= STEP;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", size, UNITS.get(unit));
  }
}
