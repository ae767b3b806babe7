package dev.assay.frontend.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.ToolCallCounts;
import org.jspecify.annotations.Nullable;

/**
 * A run with what it has printed.
 *
 * @param output what it printed, or has printed so far, as a reply shows it
 * @param nextOffset the byte of the stored output that the rest begins with; absent where there is
 *     no more
 * @param rows of the table that it has returned, where they were asked for
 * @param toolCalls the calls of tools that its code has made; absent where it could make none, and
 *     before its end
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunReport(
    @JsonUnwrapped RunSummary summary,
    @Nullable String message,
    RunDocument.@Nullable Failure error,
    String output,
    @Nullable Long nextOffset,
    @Nullable RowsPage rows,
    @Nullable ToolCallCounts toolCalls) {
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
        rows,
        status.toolCalls());
  }
}
