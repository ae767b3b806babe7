package dev.assay.frontend.analytics;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.call.ContentBlock;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.run.RunReply;
import dev.assay.frontend.token.FittedTable;
import dev.assay.frontend.token.TableBudget;
import dev.assay.frontend.token.TableFitting;
import dev.assay.frontend.token.TokenEstimate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The reply to a query: a header line and CSV, and the same as a document. */
public final class QueryReply implements ResultReply {
  /** For the statistics of columns beside rows that were cut. */
  private static final int SUMMARY_TOKENS = 300;

  private static final String NO_IMAGE =
      "the image of the chart is too large or cannot be read now; visualization.data_url has its data";

  /** Of what Python code printed. */
  private static final int STDOUT_TOKENS = 500;

  private final QueryType type;
  private final ReturnFormat format;
  private final TableBudget budget;
  private final ChartReply chart;

  /** Replies of one form. */
  public QueryReply(QueryType type, ReturnFormat format, TableBudget budget, ChartReply chart) {
    this.type = type;
    this.format = format;
    this.budget = budget;
    this.chart = chart;
  }

  @Override
  public boolean isWhole(AnalyticsValue value) {
    return value.table() != null;
  }

  @Override
  public Reply of(AnalyticsResult result) {
    TableValue table = Objects.requireNonNull(result.value().table(), "only of a whole value");
    if (format == ReturnFormat.CHART && result.value().chart() != null) {
      return chart(result, table);
    }
    return isOfStatistics(result) ? summary(result, table) : rows(result, table);
  }

  /** One row, or very many columns, have none: then the rows are shown. */
  private boolean isOfStatistics(AnalyticsResult result) {
    return format == ReturnFormat.SUMMARY && !result.value().summary().isEmpty();
  }

  private Reply chart(AnalyticsResult result, TableValue table) {
    String text =
        header(result, table, table.rows().size())
            + chartLine(result)
            + result.warningLines()
            + stdout(result);
    FittedTable none = TableFitting.fit(table.names(), List.of(), budget);
    return reply(result, text, document(result, table, none, null, List.of(), text));
  }

  /** The axes of the chart, or why there is none; empty where none is wanted. */
  private String chartLine(AnalyticsResult result) {
    if (chart == ChartReply.NONE) {
      return "";
    }
    @Nullable Visualization drawn = Visualization.of(result, false);
    if (drawn != null) {
      return drawn.line() + (result.files().chart() == null ? "warning: " + NO_IMAGE + "\n" : "");
    }
    @Nullable String why = result.value().chartError();
    return "warning: no chart was drawn" + (why == null ? "" : ": " + why) + "\n";
  }

  private Reply rows(AnalyticsResult result, TableValue table) {
    FittedTable shown = fitted(table);
    boolean cutByBudget =
        shown.omittedRows() > 0
            && shown.rows().size() < Math.min(budget.rows(), table.rows().size());
    @Nullable FittedTable statistics =
        cutByBudget && !result.value().summary().isEmpty() ? statistics(result) : null;
    String text =
        header(result, table, shown.rows().size())
            + chartLine(result)
            + result.warningLines()
            + shortened(shown)
            + shown.csv()
            + omittedColumns(shown, table)
            + (statistics == null
                ? ""
                : "columns of all "
                    + table.totalRows()
                    + " rows:\n"
                    + statistics.csv()
                    + omittedStatistics(statistics, table))
            + stdout(result);
    List<String> leftOut = new ArrayList<>(shown.warnings());
    if (statistics != null) {
      leftOut.addAll(statisticsLeftOut(statistics, table));
    }
    return reply(result, text, document(result, table, shown, statistics, leftOut, text));
  }

  private Reply summary(AnalyticsResult result, TableValue table) {
    FittedTable statistics = statistics(result);
    String text =
        header(result, table, 0)
            + chartLine(result)
            + result.warningLines()
            + statistics.csv()
            + omittedStatistics(statistics, table)
            + stdout(result);
    FittedTable none = TableFitting.fit(table.names(), List.of(), budget);
    return reply(
        result,
        text,
        document(result, table, none, statistics, statisticsLeftOut(statistics, table), text));
  }

  private FittedTable fitted(TableValue table) {
    return TableFitting.fit(table.names(), table.rows(), budget);
  }

  private FittedTable statistics(AnalyticsResult result) {
    List<ColumnSummary> columns = result.value().summary();
    return TableFitting.fit(
        ColumnSummary.NAMES,
        columns.stream().map(ColumnSummary::cells).toList(),
        columns.size(),
        format == ReturnFormat.SUMMARY ? budget.tokens() : SUMMARY_TOKENS);
  }

  /** Such as {@code 3 of 15 rows; duckdb, 12 ms, 336776 rows read; query_id run-abc}. */
  private String header(AnalyticsResult result, TableValue table, int shown) {
    StringBuilder header = new StringBuilder();
    if (isOfStatistics(result)) {
      header.append("statistics of ");
    } else if (shown < table.totalRows()) {
      header.append(shown).append(" of ");
    }
    header
        .append(table.totalRows())
        .append(table.totalRows() == 1 ? " row; " : " rows; ")
        .append(result.origin(type.usualEngine().wireName()));
    if (result.value().rowsScanned() != null) {
      header.append(", ").append(result.value().rowsScanned()).append(" rows read");
    }
    header.append("; query_id ").append(result.queryId());
    if (!isOfStatistics(result) && shown < table.rows().size()) {
      header.append(" (get_run with rows {\"offset\": ").append(shown).append("} shows the next)");
    }
    return header.append('\n').toString();
  }

  private static String shortened(FittedTable shown) {
    return shown.shortened().isEmpty()
        ? ""
        : "warning: long values are shortened in: " + FittedTable.shown(shown.shortened()) + "\n";
  }

  private static String omittedColumns(FittedTable shown, TableValue table) {
    List<String> names = table.names();
    return shown.omittedColumns() == 0
        ? ""
        : "[and "
            + shown.omittedColumns()
            + " more columns: "
            + FittedTable.shown(names.subList(names.size() - shown.omittedColumns(), names.size()))
            + "]\n";
  }

  /** Of the columns; the worker may have left out the last ones, too. */
  private static int columnsWithout(FittedTable statistics, TableValue table) {
    return table.names().size() - statistics.rows().size();
  }

  private static String omittedStatistics(FittedTable statistics, TableValue table) {
    int omitted = columnsWithout(statistics, table);
    return omitted <= 0 ? "" : "[and " + omitted + " more columns]\n";
  }

  private static List<String> statisticsLeftOut(FittedTable statistics, TableValue table) {
    int omitted = columnsWithout(statistics, table);
    return omitted <= 0
        ? List.of()
        : List.of("the statistics of " + omitted + " more columns are left out");
  }

  private static String stdout(AnalyticsResult result) {
    return result.stdout().isEmpty() ? "" : "stdout:\n" + printed(result) + "\n";
  }

  private static String printed(AnalyticsResult result) {
    String all = result.stdout().stripTrailing();
    int end = TokenEstimate.prefix(all, STDOUT_TOKENS);
    return end == all.length() ? all : all.substring(0, end) + "\n[cut; get_run shows all of it]";
  }

  private QueryDocument document(
      AnalyticsResult result,
      TableValue table,
      FittedTable shown,
      @Nullable FittedTable statistics,
      List<String> leftOut,
      String text) {
    AnalyticsValue value = result.value();
    @Nullable Visualization drawn = Visualization.of(result, chart == ChartReply.WITH_TEXT);
    List<String> further = new ArrayList<>(leftOut);
    if (chart != ChartReply.NONE && drawn != null && result.files().chart() == null) {
      further.add(NO_IMAGE);
    }
    return new QueryDocument(
        resultType(value),
        format == ReturnFormat.CSV ? List.of() : TableValue.objects(shown.columns(), shown.rows()),
        format == ReturnFormat.CSV ? shown.csv() : null,
        statistics == null ? null : value.summary().subList(0, statistics.rows().size()),
        new QueryDocument.Summary(
            value.rowsScanned() == null ? table.totalRows() : value.rowsScanned(),
            value.engineMs(),
            result.cacheHit(),
            value.engine() == null ? type.usualEngine().wireName() : value.engine()),
        shown.columns(),
        table.types(shown.columns().size()),
        table.totalRows(),
        shown.rows().size(),
        shown.rows().size() < table.totalRows(),
        result.queryId(),
        result.warnings(further),
        result.stdout().isEmpty() ? null : printed(result),
        drawn,
        null,
        null,
        null,
        TokenEstimate.of(text));
  }

  private String resultType(AnalyticsValue value) {
    if (format == ReturnFormat.CHART && value.chart() != null) {
      return "chart";
    }
    return value.aggregation() ? "aggregation" : "tabular";
  }

  private static Reply reply(AnalyticsResult result, String text, QueryDocument document) {
    List<ContentBlock> blocks = new ArrayList<>();
    AnalyticsResult.Files files = result.files();
    if (files.chart() != null) {
      blocks.add(files.chart());
    }
    if (files.chartData() != null) {
      blocks.add(files.chartData());
    }
    blocks.addAll(files.others());
    return Reply.success(text.stripTrailing(), document).withFurther(blocks);
  }

  @Override
  public Reply failed(
      AnalyticsError error, @Nullable String queryId, @Nullable AnalyticsResult partial) {
    @Nullable TableValue table = partial == null ? null : partial.value().table();
    @Nullable FittedTable shown = table == null ? null : fitted(table);
    String text =
        (error.text()
                + (shown == null || table == null || partial == null
                    ? ""
                    : "\nquery_id "
                        + queryId
                        + "\npartial result, "
                        + shown.rows().size()
                        + (shown.omittedRows() == 0 ? "" : " of " + table.rows().size())
                        + " rows:\n"
                        + partial.warningLines()
                        + shortened(shown)
                        + shown.csv()
                        + omittedColumns(shown, table)))
            .stripTrailing();
    return error.reply(
        text,
        new QueryDocument(
            "error",
            shown == null ? List.of() : TableValue.objects(shown.columns(), shown.rows()),
            null,
            null,
            null,
            shown == null ? null : shown.columns(),
            shown == null || table == null ? null : table.types(shown.columns().size()),
            null,
            shown == null ? null : shown.rows().size(),
            shown == null ? null : shown.omittedRows() > 0,
            queryId,
            shown == null || partial == null ? null : partial.warnings(shown.warnings()),
            partial == null || partial.stdout().isEmpty() ? null : printed(partial),
            null,
            shown == null ? null : true,
            null,
            error,
            TokenEstimate.of(text)));
  }

  @Override
  public Reply inProgress(AnalyticsRun run, long waitedSeconds) {
    String text =
        RunReply.continues(
            run,
            waitedSeconds,
            ResultReply.WAIT_FOR_ROWS,
            "waits for its end and shows its rows"
                + (chart == ChartReply.NONE ? "" : ", and without rows its chart"));
    return RunReply.inProgress(
        text,
        new QueryDocument(
            ResultReply.IN_PROGRESS,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            run.getMetadata().getName(),
            null,
            null,
            null,
            null,
            text,
            null,
            TokenEstimate.of(text)));
  }

  /** Of a query that was refused before it had a form. */
  public static Reply refused(AnalyticsError error) {
    return new QueryReply(
            QueryType.SQL, ReturnFormat.JSON, TableBudget.bending(1, 1), ChartReply.NONE)
        .failed(error, null, null);
  }
}
