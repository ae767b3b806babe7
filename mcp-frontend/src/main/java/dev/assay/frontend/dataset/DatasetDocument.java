package dev.assay.frontend.dataset;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.api.v1alpha1.SnapshotColumnBuilder;
import dev.assay.frontend.run.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A dataset, in a list without its columns. Its fields are those of the OpenAPI document. */
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
    @Nullable List<SnapshotColumn> columns) {

  /** A dataset in the state that it has. */
  public static DatasetDocument of(Dataset dataset) {
    return of(dataset, DatasetState.of(dataset));
  }

  /** Of a dataset in a state that was seen later than the dataset itself. */
  public static DatasetDocument of(Dataset dataset, DatasetState state) {
    return switch (state) {
      case DatasetState.Ready ready ->
          of(
              dataset,
              DatasetPhase.Ready,
              LoadAdvice.separator(dataset, ready.snapshot()).orElse(null),
              ready.snapshot());
      case DatasetState.Failed failed ->
          of(dataset, DatasetPhase.Failed, Text.clean(failed.message()), null);
      case DatasetState.Loading loading -> of(dataset, loading.phase(), null, null);
    };
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
        snapshot == null || snapshot.columns() == null ? null : clean(snapshot.columns()));
  }

  /** As a list shows it. */
  public DatasetDocument withoutColumns() {
    return with(null);
  }

  /** With no more than its first columns. */
  public DatasetDocument withColumns(int max) {
    return columns == null ? this : with(columns.subList(0, Math.min(max, columns.size())));
  }

  private DatasetDocument with(@Nullable List<SnapshotColumn> shown) {
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
        shown);
  }

  private static List<SnapshotColumn> clean(List<SnapshotColumn> columns) {
    return columns.stream()
        .map(
            column ->
                SnapshotColumnBuilder.builder()
                    .name(Text.clean(column.name()))
                    .tableName(column.tableName() == null ? null : Text.clean(column.tableName()))
                    .type(Text.clean(column.type()))
                    .storedAs(column.storedAs())
                    .nulls(column.nulls())
                    .samples(
                        column.samples() == null
                            ? null
                            : column.samples().stream().map(Text::clean).toList())
                    .build())
        .toList();
  }
}
