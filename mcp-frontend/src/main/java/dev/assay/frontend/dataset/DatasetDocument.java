package dev.assay.frontend.dataset;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.frontend.run.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A dataset, in a list without its columns and notes. Its fields are those of the OpenAPI document.
 *
 * @param omittedNotes how many more there are; absent for none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DatasetDocument(
    String name,
    String resourceName,
    DatasetPhase phase,
    @Nullable String message,
    DatasetFormat format,
    String createdAt,
    @Nullable Long rows,
    @Nullable Long columnCount,
    @Nullable Long bytes,
    @Nullable Long memoryBytes,
    @Nullable Long peakMemoryBytes,
    @Nullable String digest,
    @Nullable String frame,
    @Nullable List<DatasetColumn> columns,
    @Nullable List<DatasetNote> notes,
    @Nullable Integer omittedNotes) {

  /** A dataset in the state that it has. */
  public static DatasetDocument of(Dataset dataset) {
    return of(dataset, DatasetState.of(dataset));
  }

  /** Of a dataset in a state that was seen later than the dataset itself. */
  public static DatasetDocument of(Dataset dataset, DatasetState state) {
    return switch (state) {
      case DatasetState.Ready ready ->
          of(dataset, DatasetPhase.Ready, hint(dataset, ready.snapshot()), ready.snapshot());
      case DatasetState.Failed failed ->
          of(dataset, DatasetPhase.Failed, message(dataset, failed), null);
      case DatasetState.Loading loading -> of(dataset, loading.phase(), null, null);
    };
  }

  private static String message(Dataset dataset, DatasetState.Failed failed) {
    return Text.clean(failed.message())
        + DatasetRemarks.earlierData(dataset).map(line -> "\n" + line).orElse("");
  }

  private static @Nullable String hint(Dataset dataset, Snapshot snapshot) {
    return DatasetRemarks.olderRules(dataset, snapshot).orElse(null);
  }

  private static DatasetDocument of(
      Dataset dataset, DatasetPhase phase, @Nullable String message, @Nullable Snapshot snapshot) {
    return new DatasetDocument(
        DatasetText.nameOf(dataset),
        dataset.getMetadata().getName(),
        phase,
        message,
        dataset.getSpec().source().format(),
        dataset.getMetadata().getCreationTimestamp(),
        snapshot == null ? null : snapshot.rows(),
        snapshot == null ? null : snapshot.columnCount(),
        snapshot == null ? null : snapshot.bytes(),
        snapshot == null ? null : snapshot.memoryBytes(),
        snapshot == null ? null : snapshot.peakMemoryBytes(),
        snapshot == null ? null : snapshot.digest(),
        snapshot == null ? null : snapshot.frame(),
        snapshot == null || snapshot.columns() == null
            ? null
            : snapshot.columns().stream().map(DatasetColumn::of).toList(),
        snapshot == null ? null : notes(DatasetNote.allOf(snapshot)),
        null);
  }

  private static @Nullable List<DatasetNote> notes(List<DatasetNote> notes) {
    return notes.isEmpty() ? null : notes;
  }

  /** As a list shows it. */
  public DatasetDocument withoutColumns() {
    return with(null, null, null);
  }

  /** With no more than its first columns, and these of its notes. */
  public DatasetDocument with(int maxColumns, FittedNotes shown) {
    return columns == null
        ? this
        : with(
            columns.subList(0, Math.min(maxColumns, columns.size())),
            notes(shown.shown()),
            shown.omittedOrNull());
  }

  private DatasetDocument with(
      @Nullable List<DatasetColumn> shownColumns,
      @Nullable List<DatasetNote> shownNotes,
      @Nullable Integer omitted) {
    return new DatasetDocument(
        name,
        resourceName,
        phase,
        message,
        format,
        createdAt,
        rows,
        columnCount,
        bytes,
        memoryBytes,
        peakMemoryBytes,
        digest,
        frame,
        shownColumns,
        shownNotes,
        omitted);
  }
}
