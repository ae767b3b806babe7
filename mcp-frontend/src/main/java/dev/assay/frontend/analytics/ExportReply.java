package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.ByteSize;
import dev.assay.frontend.run.RunReply;
import dev.assay.frontend.token.TokenEstimate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The reply to export_result: one line, and links to its files. */
public final class ExportReply implements ResultReply {
  /** How many files of a partitioned export the text names. */
  private static final int MAX_NAMED = 20;

  private final String path;
  private final long totalRows;

  /**
   * Replies for one export.
   *
   * @param path relative to the working directory, of a file or a folder
   * @param totalRows of the complete result, of which the first are stored
   */
  public ExportReply(String path, long totalRows) {
    this.path = path;
    this.totalRows = totalRows;
  }

  @Override
  public boolean isWhole(AnalyticsValue value) {
    return value.export() != null;
  }

  @Override
  public Reply of(AnalyticsResult result) {
    AnalyticsValue.Export export =
        Objects.requireNonNull(result.value().export(), "only of a whole value");
    List<String> files = export.paths().stream().map(ExportReply::absolute).toList();
    @Nullable List<String> warnings = result.warnings(rowsLeftOut(export).stream().toList());
    String size = ByteSize.text(export.bytes());
    StringBuilder text =
        new StringBuilder("Exported ")
            .append(export.rows())
            .append(export.rows() == 1 ? " row to " : " rows to ")
            .append(absolute(path))
            .append(" (");
    if (files.size() != 1) {
      text.append(files.size()).append(" files, ");
    }
    text.append(size).append(") in ").append(result.queryId());
    if (files.size() > 1) {
      text.append("\nfiles: ")
          .append(String.join(", ", files.subList(0, Math.min(MAX_NAMED, files.size()))))
          .append(files.size() > MAX_NAMED ? " and " + (files.size() - MAX_NAMED) + " more" : "");
    }
    if (warnings != null) {
      warnings.forEach(line -> text.append("\nwarning: ").append(line));
    }
    return Reply.success(
            text.toString(),
            new ExportDocument(
                true,
                absolute(path),
                export.rows(),
                size,
                files,
                result.queryId(),
                warnings,
                null,
                null,
                null,
                TokenEstimate.of(text.toString())))
        .withFurther(
            result.files().others().stream()
                .filter(ContentBlock.ResourceLink.class::isInstance)
                .toList());
  }

  private Optional<String> rowsLeftOut(AnalyticsValue.Export export) {
    return export.rows() < totalRows
        ? Optional.of(
            ("the result has %d rows; only the first %d are stored and exported. To get all, have"
                    + " the query write the file: COPY (SELECT ...) TO 'artifacts/rows.parquet' in"
                    + " SQL, to_parquet or write_parquet in Python")
                .formatted(totalRows, export.rows()))
        : Optional.empty();
  }

  private static String absolute(String relative) {
    return ExportPath.WORKSPACE + "/" + relative;
  }

  @Override
  public Reply failed(
      AnalyticsError error, @Nullable String queryId, @Nullable AnalyticsResult partial) {
    return failed(error, queryId);
  }

  @Override
  public Reply inProgress(AnalyticsRun run, long waitedSeconds) {
    String text =
        RunReply.continues(
            run, waitedSeconds, RunReply.WAIT, "waits for its end and shows its files");
    return RunReply.inProgress(
        text,
        new ExportDocument(
            false,
            null,
            null,
            null,
            null,
            run.getMetadata().getName(),
            null,
            ResultReply.IN_PROGRESS,
            text,
            null,
            TokenEstimate.of(text)));
  }

  /** Of a call that was refused. */
  public static Reply refused(AnalyticsError error) {
    return failed(error, null);
  }

  private static Reply failed(AnalyticsError error, @Nullable String queryId) {
    String text = error.text();
    return error.reply(
        text,
        new ExportDocument(
            false,
            null,
            null,
            null,
            null,
            queryId,
            null,
            "error",
            null,
            error,
            TokenEstimate.of(text)));
  }
}
