package dev.assay.frontend.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * A run with what it has printed.
 *
 * @param output what it printed, or has printed so far, as a reply shows it
 * @param nextOffset the byte of the stored output that the rest begins with; absent where there is
 *     no more
 * @param rows of the table that it has returned, where they were asked for
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunReport(
    @JsonUnwrapped RunSummary summary,
    @Nullable String message,
    RunDocument.@Nullable Failure error,
    String output,
    @Nullable Long nextOffset,
    @Nullable RowsPage rows) {
  /** Of a run and as much of its output as a reply has. */
  public static RunReport of(AnalyticsRun run, ShownOutput output) {
    return of(run, output, null);
  }

  /** Of a run and rows of its table. */
  static RunReport of(AnalyticsRun run, RowsPage rows) {
    return of(run, ShownOutput.NONE, rows);
  }

  private static RunReport of(AnalyticsRun run, ShownOutput output, @Nullable RowsPage rows) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    @Nullable RunResult result = status.result();
    return new RunReport(
        RunSummary.of(run),
        status.message() == null ? null : Text.clean(status.message()),
        result == null ? null : RunDocument.Failure.of(result.error()),
        output.text(),
        output.nextOffset(),
        rows);
  }
}
