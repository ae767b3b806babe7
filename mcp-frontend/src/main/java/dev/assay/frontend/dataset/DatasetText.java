package dev.assay.frontend.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.api.v1alpha1.SnapshotColumn;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.Text;
import dev.assay.frontend.token.TokenEstimate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Text about datasets. Names of columns come from the data and are shown in one line. */
public final class DatasetText {
  private static final int MAX_COLUMNS = 100;
  static final int MAX_DATASETS = 200;
  private static final int MAX_NAME = 80;
  private static final int MAX_NOT_OFFERED = 10;

  /** Of a dataset that its caller has just loaded, and has seen. */
  private static final int LOADED_TOKENS = 500;

  /** The part of a reply that notes take from columns, where there is not room for all. */
  private static final int NOTES_PART = 3;

  private DatasetText() {}

  /** The name as its owner wrote it, or the one in Kubernetes where the other does not find it. */
  public static String nameOf(Dataset dataset) {
    String name = dataset.getMetadata().getName();
    @Nullable String displayName = dataset.getSpec().displayName();
    return displayName != null
            && DatasetName.isValid(displayName)
            && DatasetName.toResourceName(displayName).equals(name)
        ? displayName
        : name;
  }

  /** A dataset that has just been loaded. */
  public static Reply loaded(String name, Dataset dataset, Snapshot snapshot) {
    StringBuilder text =
        new StringBuilder("Dataset '")
            .append(name)
            .append("' is ready: ")
            .append(shape(snapshot))
            .append(". Columns:");
    Shown shown = appendColumns(text, snapshot, false, LOADED_TOKENS, "describe_dataset");
    DatasetRemarks.olderRules(dataset, snapshot)
        .ifPresent(remark -> text.append('\n').append(remark));
    return Reply.success(
        text.toString(),
        DatasetDocument.of(dataset, new DatasetState.Ready(snapshot))
            .with(shown.columns, shown.notes));
  }

  /** The acknowledgement of a dataset that goes on loading, while its call is answered. */
  public static Reply loading(
      String name, Dataset dataset, DatasetState.Loading state, long waitedSeconds) {
    return new Reply(
        List.of(
            new ContentBlock.Text(
                "Dataset '%s' is still loading: %s after %d s. describe_dataset(dataset_name=\"%s\") waits for it and shows its columns."
                    .formatted(name, state.phase(), waitedSeconds, name))),
        DatasetDocument.of(dataset, state),
        false,
        "InProgress");
  }

  /**
   * A dataset with its columns and some of their values.
   *
   * @param tokens about how long it may be
   */
  public static Reply description(Dataset dataset, int tokens) {
    StringBuilder text =
        new StringBuilder(nameOf(dataset))
            .append(" (")
            .append(dataset.getSpec().source().format().wireName())
            .append("): ")
            .append(line(dataset));
    Shown shown =
        DatasetState.usable(dataset)
            .map(snapshot -> appendDescription(text, dataset, snapshot, tokens))
            .orElse(Shown.NOTHING);
    switch (DatasetState.of(dataset)) {
      case DatasetState.Ready ready -> {}
      case DatasetState.Failed failed ->
          text.append('\n').append(LoadAdvice.again(dataset, failed));
      case DatasetState.Loading loading ->
          text.append("\nIt is still loading: call describe_dataset again in a few seconds.");
    }
    return Reply.success(
        text.toString(), DatasetDocument.of(dataset).with(shown.columns, shown.notes));
  }

  private static Shown appendDescription(
      StringBuilder text, Dataset dataset, Snapshot snapshot, int tokens) {
    text.append(", ")
        .append(snapshot.memoryBytes())
        .append(" bytes in memory. Columns (values of the data are quoted):");
    String remark =
        DatasetRemarks.olderRules(dataset, snapshot).map(line -> "\n" + line).orElse("");
    Shown shown =
        appendColumns(
            text,
            snapshot,
            true,
            tokens - TokenEstimate.of(remark),
            "call again with larger max_tokens");
    text.append(remark);
    return shown;
  }

  /**
   * What there was room for.
   *
   * @param columns how many
   */
  private record Shown(int columns, FittedNotes notes) {
    static final Shown NOTHING = new Shown(0, new FittedNotes(List.of(), 0));
  }

  /**
   * Appends the columns and the notes: names and types first, then notes, then values as far as
   * there is room.
   *
   * @param elsewhere what shows the notes that find no room
   */
  private static Shown appendColumns(
      StringBuilder text, Snapshot snapshot, boolean withSamples, int maxTokens, String elsewhere) {
    List<SnapshotColumn> columns = snapshot.columns() == null ? List.of() : snapshot.columns();
    List<DatasetNote> notes = DatasetNote.allOf(snapshot);
    int reserved = Math.min(FittedNotes.tokensOf(notes), maxTokens / NOTES_PART);
    List<String> lines = new ArrayList<>();
    int tokens = TokenEstimate.of(text);
    for (SnapshotColumn column : columns) {
      String line = column(column);
      int more = TokenEstimate.of(line);
      if (lines.size() == MAX_COLUMNS
          || (!lines.isEmpty() && tokens + more > maxTokens - reserved)) {
        break;
      }
      tokens += more;
      lines.add(line);
    }
    FittedNotes fitted = FittedNotes.of(notes, maxTokens - tokens);
    String noted = fitted.lines(elsewhere);
    tokens += TokenEstimate.of(noted);
    for (int i = 0; withSamples && i < lines.size(); i++) {
      String samples = samples(columns.get(i));
      tokens += TokenEstimate.of(samples);
      if (tokens > maxTokens) {
        break;
      }
      lines.set(i, lines.get(i) + samples);
    }
    lines.forEach(text::append);
    long more = snapshot.columnCount() - lines.size();
    if (more > 0) {
      text.append("\n[and ").append(more).append(" more columns]");
    }
    if (!noted.isEmpty()) {
      text.append('\n').append(noted.stripTrailing());
    }
    return new Shown(lines.size(), fitted);
  }

  private static String column(SnapshotColumn column) {
    StringBuilder line =
        new StringBuilder("\n- ")
            .append(Text.name(column.name(), MAX_NAME))
            .append(": ")
            .append(Text.oneLine(column.type(), MAX_NAME));
    if (column.nulls() > 0) {
      line.append(" (").append(column.nulls()).append(" missing)");
    }
    List<String> inTable = new ArrayList<>();
    if (column.storedAs() != null) {
      inTable.add("text");
    }
    if (column.tableName() != null) {
      inTable.add("named " + Text.name(column.tableName(), MAX_NAME));
    }
    if (!inTable.isEmpty()) {
      line.append("; in SQL and Polars: ").append(String.join(", ", inTable));
    }
    return line.toString();
  }

  private static String samples(SnapshotColumn column) {
    List<String> samples = column.samples();
    return samples == null || samples.isEmpty()
        ? ""
        : samples.stream()
            .map(sample -> '"' + Text.oneLine(sample, MAX_NAME) + '"')
            .collect(Collectors.joining(", ", ", such as ", ""));
  }

  /**
   * One line for each dataset, then what is not offered.
   *
   * @param tokens about how long the same may be as JSON
   */
  public static Reply list(List<Dataset> datasets, List<String> notOffered, int tokens) {
    StringBuilder text =
        new StringBuilder(
            datasets.isEmpty() ? "No datasets are loaded. Use load_dataset() first." : "");
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
    notOffered.stream()
        .limit(MAX_NOT_OFFERED)
        .forEach(
            line ->
                text.append("\n[not offered: ").append(Text.visibleLine(line, 300)).append(']'));
    if (notOffered.size() > MAX_NOT_OFFERED) {
      text.append("\n[and ")
          .append(notOffered.size() - MAX_NOT_OFFERED)
          .append(" more lines about files that are not offered]");
    }
    return Reply.success(text.toString(), DatasetList.of(datasets, tokens));
  }

  /** Rows and columns. */
  public static String shape(Snapshot snapshot) {
    return snapshot.rows() + " rows x " + snapshot.columnCount() + " columns";
  }

  private static String line(Dataset dataset) {
    return switch (DatasetState.of(dataset)) {
      case DatasetState.Ready ready ->
          shape(ready.snapshot())
              + ", "
              + ready.snapshot().bytes()
              + " bytes, Ready"
              + access(ready.snapshot())
              + (ready.snapshot().wasReadByOlderRules() ? "; read by older rules" : "");
      case DatasetState.Failed failed ->
          "Failed: " + Text.oneLine(failed.message(), 300) + before(dataset);
      case DatasetState.Loading loading -> loading.phase() + before(dataset);
    };
  }

  /** How it can be read, where that is not in every way. */
  private static String access(Snapshot snapshot) {
    return "none".equals(snapshot.frame()) ? " (for SQL, Polars and files, without df)" : "";
  }

  private static String before(Dataset dataset) {
    return DatasetState.usable(dataset)
        .map(snapshot -> "; until it is replaced it has " + shape(snapshot))
        .orElse("");
  }
}
