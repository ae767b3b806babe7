package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

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
    assertThat(read.tables().values())
        .extracting(DataFolder.Table::displayName)
        .containsExactly("Sales 2025", "cars", "flights");
    assertThat(read.tables().values())
        .extracting(table -> table.source().format())
        .containsExactly(DatasetFormat.CSV, DatasetFormat.JSON, DatasetFormat.PARQUET);
    assertThat(read.skipped()).isEmpty();
    assertThat(read.ignored()).containsExactly("README.md");
  }

  @Test
  void whatIsNoTableIsNamedAsFarAsALineGoes() throws IOException {
    Files.createDirectory(folder.resolve("a"));
    files("b.txt", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l");
    assertThat(DataFolder.read(folder).ignored())
        .startsWith("a/", "b.txt")
        .endsWith("j", "and 2 more");
  }

  @Test
  void twoTablesOfOneNameAreToldApartByTheirEndings() throws IOException {
    files("cars.csv", "cars.json");
    assertThat(DataFolder.read(folder).tables()).containsOnlyKeys("cars", "cars-json");
  }

  @Test
  void aNameThatADatasetCannotHaveIsTheNearestThatItCan() throws IOException {
    files("Umsätze.csv", "Umsatze.json", "sales (1).csv", "Q1 & Q2.csv", "-x-.csv", "数据2024.csv");
    assertThat(DataFolder.read(folder).tables().values())
        .extracting(DataFolder.Table::displayName, DataFolder.Table::file)
        .containsExactlyInAnyOrder(
            tuple("Umsatze", "Umsatze.json"),
            tuple("Umsatze.csv", "Umsätze.csv"),
            tuple("sales _1", "sales (1).csv"),
            tuple("Q1 _ Q2", "Q1 & Q2.csv"),
            tuple("x", "-x-.csv"),
            tuple("2024", "数据2024.csv"));
  }

  @Test
  void aFileKeepsItsOwnNameWhicheverOthersAreNear() throws IOException {
    files("._sales.csv", "#sales.csv", "_sales.csv", "sales.csv", "~$sales.xlsx");
    assertThat(DataFolder.read(folder).tables().values())
        .extracting(DataFolder.Table::displayName, DataFolder.Table::file)
        .containsExactlyInAnyOrder(tuple("sales", "sales.csv"), tuple("sales.csv", "#sales.csv"));
    assertThat(DataFolder.read(folder).skipped()).singleElement().asString().contains("_sales.csv");
  }

  @Test
  void whatCannotBeOfferedIsTold() throws IOException {
    files("数据.csv");
    Files.createSymbolicLink(folder.resolve("link.csv"), Path.of("数据.csv"));
    Files.createDirectory(folder.resolve("folder.csv"));
    DataFolder read = DataFolder.read(folder);
    assertThat(read.tables()).isEmpty();
    assertThat(read.skipped()).hasSize(3).anyMatch(text -> text.contains("数据.csv: rename it"));
  }

  private void files(String... names) throws IOException {
    for (String name : names) {
      Files.createFile(folder.resolve(name));
    }
  }

  @Test
  void ofAFolderWithThousandsOfFilesTheFirstAreOffered() throws Exception {
    for (int i = 0; i < 310; i++) {
      Files.createFile(folder.resolve("t%03d.csv".formatted(i)));
    }
    DataFolder read = DataFolder.read(folder);
    assertThat(read.tables()).hasSize(300).containsKey("t299");
    assertThat(read.skipped())
        .singleElement()
        .asString()
        .startsWith("10 more files: a folder offers the first 300");
  }
}
