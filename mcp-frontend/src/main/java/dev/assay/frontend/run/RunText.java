package dev.assay.frontend.run;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.call.Reply;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Text about runs. */
public final class RunText {
  private static final int MAX_MESSAGE = 300;

  private RunText() {}

  /**
   * A run that has ended: where it stands, what it printed, and its error.
   *
   * @param output what it printed
   * @param longValue a value that its status has no room for, as far as there is room here
   */
  public static Reply ended(AnalyticsRun run, ShownOutput output, Optional<String> longValue) {
    String answered = RunReply.ended(run, output.text(), longValue).text();
    return Reply.success(
        line(run)
            + toolCalls(run)
            + "\n\n"
            + (answered.isEmpty() ? "[it printed nothing]" : answered),
        RunReport.of(run, output));
  }

  private static String toolCalls(AnalyticsRun run) {
    @Nullable ToolCallCounts counts = RunState.statusOf(run).toolCalls();
    return counts == null || counts.equals(ToolCallCounts.NONE)
        ? ""
        : "\nCalls of tools: %d sent, %d failed, %d refused; GET /api/v1/runs/%s/calls lists them"
            .formatted(
                counts.sent(), counts.failed(), counts.refused(), run.getMetadata().getName());
  }

  /**
   * A run that has not ended: where it stands, why, and what it has printed so far.
   *
   * @param output what it has printed
   */
  public static Reply underWay(AnalyticsRun run, ShownOutput output) {
    @Nullable String message = RunState.statusOf(run).message();
    return Reply.success(
        line(run)
            + (message == null ? "" : "\n" + Text.oneLine(message, MAX_MESSAGE))
            + "\n\n"
            + (output.text().isEmpty()
                ? "[it has printed nothing yet]"
                : "Output so far:\n" + output.text()),
        RunReport.of(run, output));
  }

  /** A part of the stored output of a run. */
  public static Reply page(AnalyticsRun run, ShownOutput output) {
    return Reply.success(unlessSucceeded(run) + output.text(), RunReport.of(run, output));
  }

  /** Rows of the table that a run has returned. */
  public static Reply rows(
      AnalyticsRun run, StoredTables.Part table, int offset, int limit, int tokens) {
    RowsPage.Shown shown = RowsPage.of(run.getMetadata().getName(), table, offset, limit, tokens);
    return Reply.success(unlessSucceeded(run) + shown.text(), RunReport.of(run, shown.page()));
  }

  /** Who reads part by part has read with the first one where the run stands. */
  private static String unlessSucceeded(AnalyticsRun run) {
    return RunState.phaseOf(run) == RunPhase.Succeeded ? "" : line(run) + "\n\n";
  }

  /** A run that has returned no table. */
  public static Reply withoutRows(AnalyticsRun run) {
    return Reply.success(
        line(run)
            + "\n\n[no stored rows: "
            + (RunState.hasEnded(run)
                ? "the run returned no table, or its rows were deleted or cannot be read now: retry]"
                : "the run has not ended]"),
        RunReport.of(run, ShownOutput.NONE));
  }

  /**
   * One line for each run, under one line of headings.
   *
   * @param tokens about how long the same may be as JSON
   */
  public static Reply list(RunPage page, int tokens) {
    return Reply.success(listing(page), RunList.of(page, tokens));
  }

  private static String listing(RunPage page) {
    List<AnalyticsRun> runs = page.runs();
    if (runs.isEmpty()) {
      return "No runs match.";
    }
    StringBuilder text = new StringBuilder("NAME | PHASE | REASON | DATASET | CREATED");
    runs.forEach(run -> text.append('\n').append(row(run)));
    return text + (page.next() == null ? "" : "\n[and older ones]");
  }

  private static String row(AnalyticsRun run) {
    AnalyticsRunStatus status = RunState.statusOf(run);
    return String.join(
        " | ",
        run.getMetadata().getName(),
        RunState.phaseOf(run).name(),
        orDash(status.reason()),
        orDash(datasetOf(run)),
        orDash(run.getMetadata().getCreationTimestamp()));
  }

  private static String line(AnalyticsRun run) {
    @Nullable RunReason reason = RunState.statusOf(run).reason();
    @Nullable String dataset = datasetOf(run);
    @Nullable Long millis = RunSummary.of(run).durationMs();
    return "Run "
        + run.getMetadata().getName()
        + ": "
        + RunState.phaseOf(run)
        + (reason == null || reason == RunReason.Completed ? "" : " (" + reason + ")")
        + (dataset == null ? "" : ", dataset " + dataset + furtherDatasets(run))
        + (millis == null ? "" : ", took " + millis + " ms");
  }

  private static String furtherDatasets(AnalyticsRun run) {
    int further = run.getSpec().datasetNames().size() - 1;
    return further == 0 ? "" : " and " + further + " more";
  }

  private static @Nullable String datasetOf(AnalyticsRun run) {
    List<String> datasets = run.getSpec().datasetNames();
    return datasets.isEmpty() ? null : datasets.getFirst();
  }

  private static String orDash(@Nullable Object value) {
    return value == null ? "-" : value.toString();
  }
}
