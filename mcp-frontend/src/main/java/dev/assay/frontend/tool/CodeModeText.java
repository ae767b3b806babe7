package dev.assay.frontend.tool;

import dev.assay.frontend.run.Text;
import java.util.List;

/** What a model must know to write for code mode: one text for the tool and for the prompt. */
public final class CodeModeText {
  private static final int MAX_MODULES = 20;
  private static final int MAX_NAME = 64;

  private static final String TEXT =
      """
      execute_custom_analytics_code with mode="code" runs Python that composes these functions:
      from orchestrator.mcp import data, analytics, models, viz
      data.load_csv(path, *, dtype=None) -> DataFrame; datasets are data/raw/NAME.csv
      data.load_sql(query, connection_string=None, *, env_var="DATABASE_URL") -> DataFrame; datasets are tables
      data.validate_schema(data, expected_columns, *, required_types=None, allow_extra_columns=True) -> valid, missing_columns, ...
      analytics.describe_data(data, *, columns=None, include_percentiles=True) -> row_count, missing_values, statistics
      analytics.detect_drift(ref, cur, *, columns=None, threshold=0.1) -> overall_drift, column_drift
      models.evaluate_model(y_true, y_pred, *, task_type="regression", labels=None) -> mae, rmse, r2, mape; or accuracy, f1
      models.train_prophet(data, *, date_column="ds", value_column="y", periods=30, output_path=None) -> forecast_path, metrics
      viz.plot_distribution(data, column, *, output_path=None, bins=30, title=None) -> path of a PNG
      viz.generate_report(content, title="Report", metadata=None, output_path=None) -> path of HTML; content is Markdown
      Imports allowed: ${MODULES}, and common modules of the standard library without I/O.
      Not: os, sys, subprocess, network, eval, exec, absolute paths. print() what you want to see. \
      Files that you write in the working directory come back.\
      """;

  /** The allowed modules that the text names: a selection, to save tokens. */
  static final List<String> MODULES =
      List.of(
          "csv",
          "datetime",
          "duckdb",
          "io",
          "itertools",
          "json",
          "math",
          "matplotlib",
          "numpy",
          "pandas",
          "pathlib",
          "plotly",
          "polars",
          "re",
          "scipy",
          "seaborn",
          "sklearn",
          "statistics");

  private CodeModeText() {}

  /**
   * The text.
   *
   * @param further modules that a class allows, too
   */
  public static String of(List<String> further) {
    String more =
        String.join(
            ", ",
            further.stream().limit(MAX_MODULES).map(name -> Text.oneLine(name, MAX_NAME)).toList());
    int left = further.size() - MAX_MODULES;
    return TEXT.replace(
        "${MODULES}",
        String.join(", ", MODULES)
            + (more.isEmpty() ? "" : ", " + more)
            + (left > 0 ? " and " + left + " more" : ""));
  }
}
