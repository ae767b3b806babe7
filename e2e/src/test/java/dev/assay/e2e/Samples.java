package dev.assay.e2e;

import dev.assay.api.v1alpha1.DatasetFormat;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/** Small tables and pieces of code that scenarios share. */
final class Samples {
  private Samples() {}

  /** Orders of three customers; dataset {@code sales_data}. */
  static void sales(Assay assay) {
    assay.inlineDataset("sales_data", DatasetFormat.CSV, text("data/sales.csv"));
  }

  /** A file of the test resources. */
  static String text(String name) {
    try (InputStream stream = Samples.class.getResourceAsStream("/" + name)) {
      return new String(
          Objects.requireNonNull(stream, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same file on disk, for programs that read it. */
  static Path file(String name) {
    return Path.of("src/test/resources").resolve(name).toAbsolutePath();
  }
}
