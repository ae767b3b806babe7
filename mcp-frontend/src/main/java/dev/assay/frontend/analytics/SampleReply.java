package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.RunReply;
import dev.assay.frontend.token.FittedTable;
import dev.assay.frontend.token.TableBudget;
import dev.assay.frontend.token.TableFitting;
import dev.assay.frontend.token.TokenEstimate;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The reply to stream_sample. */
public final class SampleReply implements ResultReply {
  private static final int MAX_NAMED = 5;

  /** The most that a call can ask for. */
  private static final int MAX_TOKENS = 20_000;

  private final String name;
  private final TableBudget budget;

  /**
   * Replies for one dataset.
   *
   * @param name of the dataset
   */
  public SampleReply(String name, TableBudget budget) {
    this.name = name;
    this.budget = budget;
  }

  @Override
  public boolean isWhole(AnalyticsValue value) {
    return value.table() != null && value.sampling() != null;
  }

  @Override
  public Reply of(AnalyticsResult result) {
    AnalyticsValue value = result.value();
    TableValue table = Objects.requireNonNull(value.table(), "only of a whole value");
    Sampling told = Objects.requireNonNull(value.sampling(), "only of a whole value");
    FittedTable shown = fit(table, told);
    int omitted = table.rows().size() - shown.rows().size();
    SamplingInfo sampling =
        new SamplingInfo(
            told.strategy(),
            shown.rows().size(),
            told.totalRows(),
            shown.columns(),
            omitted == 0 ? null : omitted,
            shown.omittedColumns() == 0 ? null : shown.omittedColumns(),
            shown.shortened().isEmpty() ? null : shown.shortened(),
            told.strata() == 0 ? null : told.strata(),
            told.seed());
    String text =
        name
            + ": "
            + sampling.rowsSampled()
            + " of "
            + sampling.totalRows()
            + " rows ("
            + sampling.strategy()
            + (sampling.seed() == null ? "" : ", seed " + sampling.seed())
            + "); query_id "
            + result.queryId()
            + "\n"
            + result.warningLines()
            + shown.csv()
            + (shown.shortened().isEmpty()
                ? ""
                : "[long values are shortened in: " + names(shown.shortened()) + "]\n")
            + (shown.rows().size() < told.strata() && omitted > 0
                ? "[not each value of the stratify_column has a row]\n"
                : "")
            + (omitted == 0 ? "" : omittedRows(omitted, result.queryId()))
            + (shown.omittedColumns() == 0
                ? ""
                : "[and "
                    + shown.omittedColumns()
                    + " more columns: name those you need in"
                    + " columns]\n");
    return Reply.success(
        text.stripTrailing(),
        new SampleDocument(
            null,
            TableValue.objects(shown.columns(), shown.rows()),
            sampling,
            result.warnings(List.of()),
            result.queryId(),
            result.cacheHit(),
            null,
            null,
            TokenEstimate.of(text)));
  }

  /** As many rows as have room, which are a sample of the same strategy. */
  private FittedTable fit(TableValue table, Sampling told) {
    int size = table.rows().size();
    while (true) {
      FittedTable fitted = TableFitting.fit(table.names(), told.first(table.rows(), size), budget);
      if (fitted.omittedRows() == 0) {
        return fitted;
      }
      // Others may be longer.
      size = fitted.rows().size();
    }
  }

  private String omittedRows(int omitted, String queryId) {
    return "[%d sampled rows do not fit: select fewer columns with columns%s; get_run(name=\"%s\", rows={\"offset\": 0}) shows them]\n"
        .formatted(
            omitted, budget.maxTokens() < MAX_TOKENS ? ", or raise max_tokens" : "", queryId);
  }

  private static String names(List<String> columns) {
    return String.join(", ", columns.subList(0, Math.min(MAX_NAMED, columns.size())))
        + (columns.size() > MAX_NAMED ? ", …" : "");
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
            run, waitedSeconds, ResultReply.WAIT_FOR_ROWS, "waits for its end and shows its rows");
    return RunReply.inProgress(
        text,
        new SampleDocument(
            ResultReply.IN_PROGRESS,
            null,
            null,
            null,
            run.getMetadata().getName(),
            null,
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
        new SampleDocument(
            "error", null, null, null, queryId, null, null, error, TokenEstimate.of(text)));
  }
}
