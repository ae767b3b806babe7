package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
  @TempDir private Path folder;

  @Test
  void eachTableIsOfferedByTheNameOfItsFile() throws IOException {
    files("Sales 2025.csv", "cars.json", "flights.parquet", "README.md", ".hidden");
    DataFolder read = DataFolder.read(folder);
    assertThat(read.tables()).containsOnlyKeys("sales-2025", "cars", "flights");
    assertThat(read.tables().get("sales-2025").displayName()).isEqualTo("Sales 2025");
    assertThat(read.tables().get("flights").source().format()).isEqualTo(DatasetFormat.PARQUET);
    assertThat(read.skipped()).isEmpty();
  }

  @Test
  void twoTablesOfOneNameAreToldApartByTheirEndings() throws IOException {
    files("cars.csv", "cars.json");
    assertThat(DataFolder.read(folder).tables()).containsOnlyKeys("cars", "cars-json");
  }

  @Test
  void whatCannotBeOfferedIsTold() throws IOException {
    files("größe.csv");
    Files.createSymbolicLink(folder.resolve("link.csv"), Path.of("größe.csv"));
    Files.createDirectory(folder.resolve("folder.csv"));
    DataFolder read = DataFolder.read(folder);
    assertThat(read.tables()).isEmpty();
    assertThat(read.skipped()).hasSize(3).anyMatch(text -> text.contains("größe.csv: rename it"));
  }

  private void files(String... names) throws IOException {
    for (String name : names) {
      Files.createFile(folder.resolve(name));
    }
  }
}
