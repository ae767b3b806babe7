package dev.assay.frontend.tool;

/** The description of {@code execute_custom_analytics_code} that agents read. */
final class ExecuteDescription {
  private ExecuteDescription() {}

  static String text(ExecuteCustomAnalyticsCode.Settings settings) {
    return """
        Runs custom Python code (a script) over a dataset, the pandas DataFrame df, and returns \
        what it prints: numpy, scipy, sklearn, matplotlib; clean data, train, fit and evaluate \
        models, regression (linear, r2), forecast, clusters, PCA, statistical tests, bootstrap, \
        simulation, drift (population stability index, psi), seasonal decomposition, \
        distributions, text and regex, plots, HTML reports. Not for what one query or sample answers.

        - df and those in datasets are also there under their own names.
        - Imported: pandas as pd, numpy as np, plotly.express as px.
        - print() every result: nothing else comes back but figures and the files that you write.
        - Errors come back with the traceback.
        - Each call is isolated: no network, no memory of earlier calls, stopped after ${TIMEOUT} \
        seconds.
        Basic analysis: print(df.describe())
        Custom calculation: print(df.groupby("a")["b"].agg(["sum", "mean"]))
        Correlations and trend: print(df.corr(numeric_only=True), df["b"].pct_change())\
        """
        .replace("${TIMEOUT}", Integer.toString(settings.timeoutSeconds()));
  }
}
