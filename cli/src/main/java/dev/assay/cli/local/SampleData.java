package dev.assay.cli.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import java.io.IOException;
import java.io.InputStream;

/** The table that comes with the program: invented sales of a year. */
final class SampleData {
  static final String NAME = "sales";

  private SampleData() {}

  static Dataset dataset() throws IOException {
    return LocalObjects.dataset(NAME, NAME, DatasetSource.inline(DatasetFormat.CSV, text()));
  }

  /** The table as CSV: month, region, product, units and price. */
  static String text() throws IOException {
    try (InputStream in = SampleData.class.getResourceAsStream("sales.csv")) {
      if (in == null) {
        throw new IOException("the program was built without sales.csv");
      }
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}
