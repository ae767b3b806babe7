package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.frontend.run.Text;
import java.util.List;

/** What is said about datasets. Names of columns come from the data and are shown in one line. */
public final class DatasetText {
  private static final int MAX_COLUMNS = 100;
  private static final int MAX_DATASETS = 200;
  private static final int MAX_NAME = 80;

  private DatasetText() {}

  /** The name as its owner wrote it. */
  public static String nameOf(Dataset dataset) {
    String displayName = dataset.getSpec().displayName();
    return displayName == null ? dataset.getMetadata().getName() : displayName;
  }

  /** A dataset that has just been loaded. */
  public static String loaded(String name, Snapshot snapshot) {
    StringBuilder text =
        new StringBuilder("Dataset '")
            .append(name)
            .append("' is ready: ")
            .append(shape(snapshot))
            .append(". Columns:");
    List<SnapshotColumn> columns = snapshot.columns() == null ? List.of() : snapshot.columns();
    columns.stream()
        .limit(MAX_COLUMNS)
        .forEach(
            column -> {
              text.append("\n- ")
                  .append(Text.oneLine(column.name(), MAX_NAME))
                  .append(": ")
                  .append(Text.oneLine(column.type(), MAX_NAME));
              if (column.nulls() > 0) {
                text.append(" (").append(column.nulls()).append(" missing)");
              }
            });
    long more = snapshot.columnCount() - Math.min(columns.size(), MAX_COLUMNS);
    if (more > 0) {
      text.append("\n[and ").append(more).append(" more columns]");
    }
    return text.toString();
  }

  /** One line for each dataset. */
  public static String list(List<Dataset> datasets) {
    if (datasets.isEmpty()) {
      return "No datasets are loaded. Use load_dataset() first.";
    }
    StringBuilder text = new StringBuilder();
    datasets.stream()
        .limit(MAX_DATASETS)
        .forEach(
            dataset ->
                text.append(text.isEmpty() ? "" : "\n")
                    .append(nameOf(dataset))
                    .append(": ")
                    .append(line(dataset)));
    int more = datasets.size() - MAX_DATASETS;
    if (more > 0) {
      text.append("\n[and ").append(more).append(" more datasets]");
    }
    return text.toString();
  }

  /** Rows and columns. */
  public static String shape(Snapshot snapshot) {
    return snapshot.rows() + " rows x " + snapshot.columnCount() + " columns";
  }

  private static String line(Dataset dataset) {
    return switch (DatasetState.of(dataset)) {
      case DatasetState.Ready ready ->
          shape(ready.snapshot()) + ", " + ready.snapshot().bytes() + " bytes, Ready";
      case DatasetState.Failed failed -> "Failed: " + Text.oneLine(failed.message(), 300);
      case DatasetState.Loading loading -> loading.phase().toString();
    };
  }
}
