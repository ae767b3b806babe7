package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.NoteCode;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotBuilder;
import dev.assay.api.v1alpha1.SnapshotNote;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OfferedDataTest {
  @TempDir private Path folder;
  private final List<String> said = new ArrayList<>();

  @BeforeEach
  void files() throws IOException {
    Files.createFile(folder.resolve("my sales.csv"));
    Files.createFile(folder.resolve("notes.txt"));
  }

  @Test
  void filesThatAreNotOfferedAreNamed() throws IOException {
    var unused = offered();
    assertThat(said)
        .singleElement()
        .asString()
        .startsWith("Not offered: notes.txt: only files directly in the folder")
        .contains(".csv, .tsv, .json");
  }

  @Test
  void aFileThatFailedIsToldWithTheCommandThatLoadsIt() throws IOException {
    assertThat(offered().report(table(), loaded(DatasetPhase.Failed, null)))
        .contains(
            """
            Dataset my sales failed: The source is not utf-8.
            Load it with other options: assay datasets load 'my sales' --replace --volume data \
            --path 'my sales.csv' --option NAME=VALUE""");
  }

  @Test
  void aFileThatWasReadWithTheWrongSeparatorIsQuestioned() throws IOException {
    assertThat(offered().report(table(), loaded(DatasetPhase.Ready, snapshot("{\"sep\": \";\"}"))))
        .get()
        .asString()
        .startsWith("Dataset my sales has one column.")
        .endsWith("--path 'my sales.csv' --option sep=';'");
    assertThat(offered().report(table(), loaded(DatasetPhase.Ready, snapshot(null)))).isEmpty();
  }

  private OfferedData offered() throws IOException {
    return OfferedData.read(folder, new Sayings(said), "assay datasets load");
  }

  private DataFolder.Table table() throws IOException {
    return DataFolder.read(folder).tables().values().iterator().next();
  }

  private Dataset loaded(DatasetPhase phase, @Nullable Snapshot snapshot) throws IOException {
    Dataset dataset = LocalObjects.dataset("my-sales", "my sales", table().source());
    dataset.setStatus(
        DatasetStatusBuilder.builder()
            .phase(phase)
            .message("The source is not utf-8.")
            .snapshot(snapshot)
            .build());
    return dataset;
  }

  private static Snapshot snapshot(@Nullable String option) {
    return SnapshotBuilder.builder()
        .id("1")
        .path("p")
        .generation(1)
        .digest("d")
        .bytes(1)
        .rows(1)
        .columnCount(1)
        .notes(List.of(new SnapshotNote(NoteCode.OtherSeparator, "one column", 0, null, option)))
        .memoryBytes(1)
        .build();
  }
}
