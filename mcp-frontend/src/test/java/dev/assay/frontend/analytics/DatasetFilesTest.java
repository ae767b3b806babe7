package dev.assay.frontend.analytics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.frontend.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetFilesTest {
  private final DatasetFiles files =
      files("sales_2023", "sales_2024", "customers", "Prices per day", "old.csv");

  private static DatasetFiles files(String... names) {
    return new DatasetFiles(
        List.of(names).stream().map(DatasetFilesTest::dataset).toList(), name -> Optional.empty());
  }

  private static Dataset dataset(String name) {
    Dataset dataset = Fixtures.dataset(name, DatasetPhase.Ready);
    dataset.getMetadata().setName(DatasetName.toResourceName(name));
    return dataset;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sales_2024",
        "sales-2024",
        "Sales 2024",
        "dataset://sales_2024",
        "/workspace/sales_2024.csv",
        "/workspace/./sales_2024.csv",
        "/workspace//sales_2024.csv",
        "/workspace/sales_2024",
        "./sales_2024.csv",
        "sales_2024.csv",
        "sales_2024.CSV",
        "sales_*4",
        "/workspace/*_2024.csv",
      })
  void aDatasetIsNamedInAllTheseWays(String path) {
    assertThat(files.one("file_path", path).getMetadata().getName()).isEqualTo("sales-2024");
  }

  @Test
  void aNameThatLooksLikeAFileIsAName() {
    assertThat(names(files.all("files", List.of("old.csv")))).containsExactly("old-csv");
    assertThat(names(files.all("files", List.of("/workspace/old.csv.csv"))))
        .containsExactly("old-csv");
  }

  @Test
  void aPatternNamesEachOnceInTheOrderOfThePaths() {
    assertThat(
            names(files.all("files", List.of("customers", "/workspace/sales_*.csv", "sales_2023"))))
        .containsExactly("customers", "sales-2023", "sales-2024");
    assertThat(names(files.all("files", List.of("dataset://sales_*")))).hasSize(2);
    assertThat(files.all("files", List.of())).isEmpty();
  }

  @Test
  void aDatasetThatTheCacheDoesNotHaveYetIsFound() {
    DatasetFiles behind =
        new DatasetFiles(
            List.of(),
            name ->
                name.equals("sales-2024") ? Optional.of(dataset("sales_2024")) : Optional.empty());

    assertThat(names(behind.all("files", List.of("/workspace/sales_2024.csv"))))
        .containsExactly("sales-2024");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/etc/passwd|'files[0]' is outside of /workspace; load the file with load_dataset, and name"
            + " the dataset: '/etc/passwd'",
        "/workspaces/a.csv|'files[0]' is outside of /workspace",
        "/workspace/../etc/passwd|'files[0]' has '..'",
        "../sales_2024.csv|'files[0]' has '..'",
        "a/../sales_2024.csv|'files[0]' has '..'",
        "https://example.com/a.csv|'files[0]' is a URL, and queries have no network",
        "s3://bucket/a.parquet|'files[0]' is a URL",
        "`  `|'files[0]' is empty",
      })
  void aPathThatNoDatasetCanHaveIsRefused(String path, String message) {
    AnalyticsError error = error(path);

    assertThat(error.code()).isEqualTo(4001);
    assertThat(error.message()).startsWith(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "sales_20244|There is no dataset or file 'sales_20244'. There are: sales_2023, sales_2024,"
            + " customers, Prices per day, old.csv. Did you mean 'sales_2024'?",
        "/workspace/customer.csv|There is no dataset or file '/workspace/customer.csv'. There are:",
        "/workspace/sales_2024.parquet|There is no file '/workspace/sales_2024.parquet'; the file"
            + " of dataset 'sales_2024' is /workspace/sales_2024.csv",
        "dataset://sales_2024.csv|There is no file",
        "nothing_*|No dataset matches 'nothing_*'. There are:",
        "/workspace/|There is no dataset or file '/workspace/'.",
        "folder/sales_2024.csv|There is no",
        "dataset://../sales_2024|There is no",
      })
  void whatDoesNotExistIsNotFoundAndTheNearestNameIsSaid(String path, String message) {
    AnalyticsError error = error(path);

    assertThat(error.code()).isEqualTo(4002);
    assertThat(error.message()).startsWith(message);
    assertThat(error.suggestions()).isNotEmpty();
  }

  @Test
  void withoutAnyDatasetTheToolThatLoadsOneIsNamed() {
    AnalyticsException thrown =
        catchThrowableOfType(
            AnalyticsException.class, () -> files().one("file_path", "sales_2024"));

    assertThat(thrown.error().message())
        .isEqualTo(
            "There is no dataset or file 'sales_2024'. No datasets are loaded: load_dataset loads"
                + " one.");
  }

  @Test
  void aToolThatReadsOneRefusesAPatternThatMatchesSeveral() {
    AnalyticsException thrown =
        catchThrowableOfType(AnalyticsException.class, () -> files.one("file_path", "sales_*"));

    assertThat(thrown.error().code()).isEqualTo(4001);
    assertThat(thrown.error().message())
        .isEqualTo("'file_path' names 2 datasets, and this tool reads one: sales_2023, sales_2024");
  }

  @Test
  void moreThanARunCanReadIsRefused() {
    DatasetFiles many =
        new DatasetFiles(
            IntStream.range(0, 17).mapToObj(i -> dataset("part_" + i)).toList(),
            name -> Optional.empty());

    AnalyticsException thrown =
        catchThrowableOfType(AnalyticsException.class, () -> many.all("files", List.of("part_*")));

    assertThat(thrown.error().code()).isEqualTo(4001);
    assertThat(thrown.error().message())
        .isEqualTo("'files' names more than 16 datasets; a query can read at most 16");
  }

  @Test
  void pathsAreNotLookedUpOnceMoreDatasetsAreNamedThanARunCanRead() {
    List<String> lookedUp = new ArrayList<>();
    DatasetFiles many =
        new DatasetFiles(
            List.of(),
            name -> {
              lookedUp.add(name);
              return Optional.of(dataset(name));
            });
    List<String> paths = IntStream.range(0, 200).mapToObj(i -> "part-" + i).toList();

    AnalyticsException thrown =
        catchThrowableOfType(AnalyticsException.class, () -> many.all("files", paths));

    assertThat(thrown.error().message())
        .isEqualTo("'files' names more than 16 datasets; a query can read at most 16");
    assertThat(lookedUp).hasSize(17);
  }

  @ParameterizedTest
  @CsvSource({
    "EXCEL, prices.xlsx",
    "EXCEL, /workspace/prices.XLSX",
    "EXCEL, *.xlsx",
    "NDJSON, prices.ndjson",
    "NDJSON, prices.jsonl",
    "NDJSON, *.jsonl",
    "TSV, prices.tsv",
  })
  void aFileHasTheEndingsOfItsFormat(DatasetFormat format, String path) {
    assertThat(names(priced(format).all("files", List.of(path)))).containsExactly("prices");
  }

  @Test
  void theNameOfAFormatIsNoEnding() {
    AnalyticsException thrown =
        catchThrowableOfType(
            AnalyticsException.class,
            () -> priced(DatasetFormat.EXCEL).one("file_path", "prices.excel"));

    assertThat(thrown.error().message()).endsWith("'prices' is /workspace/prices.xlsx");
  }

  private static DatasetFiles priced(DatasetFormat format) {
    Dataset dataset = dataset("prices");
    dataset.setSpec(
        DatasetSpecBuilder.builder()
            .displayName("prices")
            .className("snapshot")
            .source(DatasetSource.volume(format, null, new VolumeSource("shared", "prices")))
            .build());
    return new DatasetFiles(List.of(dataset), name -> Optional.empty());
  }

  private AnalyticsError error(String path) {
    return catchThrowableOfType(AnalyticsException.class, () -> files.all("files", List.of(path)))
        .error();
  }

  private static List<String> names(List<Dataset> datasets) {
    return datasets.stream().map(dataset -> dataset.getMetadata().getName()).toList();
  }
}
