package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetFileTypeTest {
  @ParameterizedTest
  @CsvSource({
    "sales.csv,CSV,,sales",
    "a/b/sales.2024.CSV,CSV,,a/b/sales.2024",
    "sales.csv.gz,CSV,GZIP,sales",
    "sales.TSV.Zip,TSV,ZIP,sales",
    "log.jsonl,NDJSON,,log",
    "log.ndjson.gz,NDJSON,GZIP,log",
    "t.json,JSON,,t",
    "t.parquet,PARQUET,,t",
    "t.feather,FEATHER,,t",
    "book.xlsx,EXCEL,,book"
  })
  void theEndingsTellHowAFileIsRead(
      String name, DatasetFormat format, DatasetCompression compression, String stem) {
    assertThat(DatasetFileType.of(name)).contains(new DatasetFileType(format, compression, stem));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "csv", "notes.txt", "archive.zip", "archive.gz", "sales.csv.bz2"})
  void otherEndingsTellNothing(String name) {
    assertThat(DatasetFileType.of(name)).isEmpty();
  }

  @Test
  void compressionIsToldWhateverIsInside() {
    assertThat(DatasetFileType.compression("export.gz")).contains(DatasetCompression.GZIP);
    assertThat(DatasetFileType.compression("export.csv")).isEmpty();
  }
}
