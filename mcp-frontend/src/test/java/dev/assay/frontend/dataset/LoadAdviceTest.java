package dev.assay.frontend.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotBuilder;
import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.frontend.Fixtures;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadAdviceTest {
  @Test
  void aFailedFileIsNamedWithTheCallThatLoadsItAgain() {
    Map<String, JsonNode> options = Map.of("sep", TextNode.valueOf(";"));
    DatasetSource source =
        DatasetSource.volume(DatasetFormat.CSV, null, new VolumeSource("data", "a \"b\".csv"));

    assertThat(LoadAdvice.again(of(source.withOptions(options))))
        .isEqualTo(
            "Source: volume data, path a \"b\".csv. The same call fails again: correct what the"
                + " error names, in the source or in the arguments of load_dataset(dataset_name=\"umsatz\", volume=\"data\", path=\"a"
                + " \\\"b\\\".csv\", options={\"sep\":\";\"}, replace=true)");
    assertThat(
            LoadAdvice.again(
                of(
                    DatasetSource.volume(
                        DatasetFormat.TSV, null, new VolumeSource("data", "a.csv")))))
        .contains("path=\"a.csv\", format=\"tsv\", replace=true)");
    assertThat(LoadAdvice.again(of(source.withFrame(false))))
        .contains(".csv\", frame=false, replace=true)");
  }

  @Test
  void dataThatCameWithTheCallIsAskedForAgain() {
    assertThat(LoadAdvice.again(of(DatasetSource.inline(DatasetFormat.TSV, "a\tb"))))
        .isEqualTo(
            "Source: the data of the call. The same call fails again: correct what the error"
                + " names, in the source or in the arguments of load_dataset(dataset_name=\"umsatz\", text=\"...\", format=\"tsv\","
                + " replace=true)");
    assertThat(
            LoadAdvice.again(
                of(DatasetSource.upload(DatasetFormat.JSON, null, new UploadSource("u", 1)))))
        .startsWith("Source: an upload. The same call fails again: correct what")
        .contains("records=[...], replace=true)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      value = {
        "Datum;Filiale#2025-01-02;Nord#separated by ';', load it again (with \"decimal\": \",\" too if"
            + " it has decimal commas): #{\"sep\":\";\"}",
        "Datum;Preis#2025-01-02;3,5#separated by ';', load it again (with \"thousands\": \".\" too if it"
            + " has numbers like 1.234,5): #{\"sep\":\";\",\"decimal\":\",\"}",
        "Datum;Preis#2025-01-02;1.234,5#separated by ';', load it again:"
            + " #{\"sep\":\";\",\"decimal\":\",\",\"thousands\":\".\"}",
        "a|b#1|2#separated by '|', load it again: #{\"sep\":\"|\"}",
      })
  void aTableOfOneColumnThatLooksLikeMoreGetsTheCallThatReadsItOtherwise(
      String column, String sample, String hint, String options) {
    assertThat(LoadAdvice.separator(file(), table(column, sample)))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .startsWith("Note: the table has one column, named '" + column + "'.")
                    .contains(hint)
                    .endsWith(
                        "load_dataset(dataset_name=\"umsatz\", volume=\"data\","
                            + " path=\"umsatz.csv\", options="
                            + options
                            + ", replace=true)"));
  }

  @Test
  void theOptionsThatADatasetHasAreKeptInTheHint() {
    Map<String, JsonNode> options = Map.of("encoding", TextNode.valueOf("cp1252"));
    Dataset dataset = of(file().getSpec().source().withOptions(options));

    assertThat(LoadAdvice.separator(dataset, table("a|b", "1|2")))
        .get()
        .asString()
        .contains("options={\"encoding\":\"cp1252\",\"sep\":\"|\"}");
  }

  @Test
  void otherTablesGetNone() {
    assertThat(LoadAdvice.separator(file(), table("a", "b;c"))).isEmpty();
    assertThat(LoadAdvice.separator(file(), Fixtures.snapshot())).isEmpty();
    assertThat(LoadAdvice.separator(file(), table("a\tb", "1\t2")))
        .get()
        .asString()
        .contains("separated by tabs", "{\"sep\":\"\\t\"}");
  }

  @Test
  void aReaderThatWasKilledBeforeItReadSaysNothingOfTheFile() {
    Dataset dataset = Fixtures.dataset("d", null);
    dataset.setStatus(
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Failed)
            .message("ProcessEnded: The process was ended by signal 9 (Killed) before it ran code")
            .observedGeneration(1L)
            .build());

    assertThat(DatasetText.description(dataset, 800).text())
        .contains("before it ran code; nothing is wrong with the file: load it again\nSource: ")
        .contains(". Load it again: load_dataset(");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "umsatz|umsatz-2025",
        "Sensor|sensors",
        "budgte|budget",
        "Umsatz 2025|umsatz-2025",
      })
  void aNameThatIsAlmostRightIsAskedFor(String wrong, String meant) {
    assertThat(DatasetNames.alternatives(wrong, some()))
        .isEqualTo(" There are: budget, sensors, umsatz-2025. Did you mean '" + meant + "'?");
  }

  @Test
  void aNameThatIsLikeNoneIsNotGuessed() {
    assertThat(DatasetNames.alternatives("customers_eu", some()))
        .isEqualTo(" There are: budget, sensors, umsatz-2025.");
    assertThat(DatasetNames.alternatives("x", List.of())).isEmpty();
  }

  private static List<Dataset> some() {
    return List.of(
        Fixtures.dataset("budget", DatasetPhase.Ready),
        Fixtures.dataset("sensors", DatasetPhase.Ready),
        Fixtures.dataset("umsatz-2025", DatasetPhase.Ready));
  }

  private static Dataset of(DatasetSource source) {
    Dataset dataset = Fixtures.dataset("umsatz", DatasetPhase.Failed);
    dataset.setSpec(
        DatasetSpecBuilder.builder()
            .displayName("umsatz")
            .className("snapshot")
            .source(source)
            .build());
    return dataset;
  }

  private static Dataset file() {
    return of(
        DatasetSource.volume(DatasetFormat.CSV, null, new VolumeSource("data", "umsatz.csv")));
  }

  private static Snapshot table(String column, String sample) {
    return SnapshotBuilder.builder()
        .id("s1")
        .path("p")
        .generation(1)
        .digest("00")
        .bytes(9)
        .rows(200)
        .columnCount(1)
        .columns(
            List.of(
                SnapshotColumnBuilder.builder()
                    .name(column)
                    .type("object")
                    .samples(List.of(sample))
                    .build()))
        .memoryBytes(100)
        .frame("arrow")
        .build();
  }
}
