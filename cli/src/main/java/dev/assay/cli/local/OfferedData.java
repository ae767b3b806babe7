package dev.assay.cli.local;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.NoteCode;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotNote;
import dev.assay.cli.MachineException;
import dev.assay.cli.text.Progress;
import dev.assay.frontend.dataset.DatasetState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/** Offers the files of a folder as datasets, and reports those that need attention. */
final class OfferedData {
  private static final long LOADING_MINUTES = 5;

  private final DataFolder folder;
  private final Progress progress;
  private final String loadCommand;
  private final Path data;

  private OfferedData(Path data, DataFolder folder, Progress progress, String loadCommand) {
    this.data = data;
    this.folder = folder;
    this.progress = progress;
    this.loadCommand = loadCommand;
  }

  /** Throws if the folder cannot be read, before anything takes time. */
  static void check(Path data) throws MachineException {
    if (!(Files.isDirectory(data) && Files.isReadable(data))) {
      throw new MachineException("--data: " + data + " is not a directory that can be read");
    }
  }

  /**
   * Reads a folder, and reports what is not offered.
   *
   * @param loadCommand how {@code datasets load} is called
   */
  static OfferedData read(Path data, Progress progress, String loadCommand) throws IOException {
    DataFolder folder = DataFolder.read(data);
    folder.notOffered().forEach(line -> progress.say("Not offered: " + line));
    return new OfferedData(data, folder, progress, loadCommand);
  }

  /** Creates the datasets. */
  void offer(LocalAssay assay) {
    folder.tables().forEach((name, table) -> assay.offer(dataset(name, table)));
  }

  /** Waits until each one is ready or has failed, and reports what needs attention. */
  void awaitLoaded(LocalAssay assay) throws InterruptedException {
    progress.begin("Datasets", folder.tables().size());
    List<String> reports = new ArrayList<>();
    for (Map.Entry<String, DataFolder.Table> entry : folder.tables().entrySet()) {
      Dataset loaded =
          assay
              .client()
              .resource(dataset(entry.getKey(), entry.getValue()))
              .waitUntilCondition(OfferedData::isSettled, LOADING_MINUTES, TimeUnit.MINUTES);
      report(entry.getValue(), loaded).ifPresent(reports::add);
      progress.advance(1);
    }
    progress.end();
    reports.forEach(progress::say);
  }

  private Dataset dataset(String name, DataFolder.Table table) {
    Dataset dataset = LocalObjects.dataset(name, table.displayName(), table.source());
    dataset.setSpec(CurrentFiles.withFile(dataset.getSpec(), data));
    return dataset;
  }

  private static boolean isSettled(Dataset dataset) {
    return dataset != null && !(DatasetState.of(dataset) instanceof DatasetState.Loading);
  }

  /** The report on a dataset; empty if all is well. */
  Optional<String> report(DataFolder.Table table, Dataset loaded) {
    return switch (DatasetState.of(loaded)) {
      case DatasetState.Failed failed ->
          Optional.of(
              "Dataset %s failed: %s%nLoad it with other options: %s"
                  .formatted(
                      table.displayName(),
                      failed.message(),
                      command(table, "--option NAME=VALUE")));
      case DatasetState.Ready ready ->
          separator(ready.snapshot())
              .map(
                  separator ->
                      "Dataset %s has one column. Load it with another separator: %s"
                          .formatted(
                              table.displayName(),
                              command(
                                  table, "--option sep='" + separator.replace("\t", "\\t") + "'")));
      default -> Optional.empty();
    };
  }

  /** The separator that a note proposes. */
  private static Optional<String> separator(Snapshot snapshot) {
    List<SnapshotNote> notes = snapshot.notes() == null ? List.of() : snapshot.notes();
    return notes.stream()
        .filter(note -> note.code() == NoteCode.OtherSeparator)
        .flatMap(note -> Optional.ofNullable(note.option()).stream())
        .map(option -> JsonMapper.shared().readTree(option).path("sep").asString(""))
        .findFirst();
  }

  private String command(DataFolder.Table table, String options) {
    return String.join(
        " ",
        loadCommand,
        Shell.quoted(table.displayName()),
        "--replace --volume",
        LocalObjects.DATA,
        "--path",
        Shell.quoted(table.file()),
        options);
  }
}
