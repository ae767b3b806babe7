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
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadAdviceTest {
  @Test
  void aFailedFileIsNamedWithTheCallThatLoadsItAgain() {
    Map<String, JsonNode> options = Map.of("sep", TextNode.valueOf(";"));
    DatasetSource source =
        DatasetSource.volume(DatasetFormat.CSV, null, new VolumeSource("data", "a \"b\".csv"));

    assertThat(again(source.withOptions(options)))
        .isEqualTo(
            "Source: volume data, path a \"b\".csv. Correct what the error names, in the source or"
                + " in the arguments, and call again: load_dataset(dataset_name=\"umsatz\", volume=\"data\", path=\"a"
                + " \\\"b\\\".csv\", options={\"sep\":\";\"}, replace=true)");
    assertThat(
            again(DatasetSource.volume(DatasetFormat.TSV, null, new VolumeSource("data", "a.csv"))))
        .contains("path=\"a.csv\", format=\"tsv\", replace=true)");
    assertThat(again(source.withFrame(false))).contains(".csv\", frame=false, replace=true)");
  }

  @Test
  void dataThatCameWithTheCallIsAskedForAgain() {
    assertThat(again(DatasetSource.inline(DatasetFormat.TSV, "a\tb")))
        .isEqualTo(
            "Source: the data of the call. Correct what the error names, in the source or in the"
                + " arguments, and call again: load_dataset(dataset_name=\"umsatz\", text=\"...\", format=\"tsv\","
                + " replace=true)");
    assertThat(again(DatasetSource.upload(DatasetFormat.JSON, null, new UploadSource("u", 1))))
        .startsWith("Source: an upload. Correct what")
        .contains("records=[...], replace=true)");
  }

  @ParameterizedTest
  @EnumSource(
      value = DatasetFormat.class,
      names = {"PARQUET", "FEATHER", "EXCEL"})
  void anUploadThatIsNoTextIsUploadedAgain(DatasetFormat format) {
    DatasetSource source = DatasetSource.upload(format, null, new UploadSource("u", 1));

    assertThat(again(source))
        .isEqualTo(
            "Source: an upload. Correct what the error names, in the source or in the arguments."
                + " Upload the file again with 'assay datasets load NAME FILE --replace' or PUT"
                + " /api/v1/datasets/NAME.");
    assertThat(LoadAdvice.again(of(source), DatasetState.Failed.passing("it was deleted")))
        .startsWith("Source: an upload. Upload the file again");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ParserError: line 3",
        "OptionRefusedError: no option 'seperator'",
        "Reading the source needs more memory than class 'snapshot' gives, which is 1Gi",
        "Reading the source took longer than its class allows",
        "No volume 'lake' is declared for this namespace",
      })
  void whatTheCallerCanCorrectIsSaidToBe(String message) {
    assertThat(advice(message)).contains(". Correct what the error names");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ProcessEnded: The process was ended by signal 9 (Killed)",
        "VolumeFullError: the volume of the snapshots is full",
        "KeyError: The snapshot could not be created: load the dataset again, and ask",
        "OSError: an error of the file system",
        "Loading failed 3 times: the Pod was deleted: gone",
        "The upload was interrupted; upload it again",
        "No Pod could be created within 300 s: exceeded quota: pods",
        "The Pod was rejected: invalid",
        "Loading was cancelled",
      })
  void whatTheCallerCannotCorrectIsRetried(String message) {
    assertThat(advice(message)).contains(". Retry: load_dataset(").doesNotContain("Correct");
  }

  @Test
  void aReaderThatWasKilledBeforeItReadSaysNothingOfTheFile() {
    assertThat(
            advice("ProcessEnded: The process was ended by signal 9 (Killed) before it ran code"))
        .contains("before it ran code; nothing is wrong with the file: load it again\nSource: ")
        .contains(". Retry: load_dataset(");
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

  private static String again(DatasetSource source) {
    return LoadAdvice.again(of(source), new DatasetState.Failed("ParserError: line 3", true));
  }

  private static String advice(String message) {
    Dataset dataset = Fixtures.dataset("d", null);
    dataset.setStatus(
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Failed)
            .message(message)
            .observedGeneration(1L)
            .build());
    return DatasetText.description(dataset, 800).text();
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
