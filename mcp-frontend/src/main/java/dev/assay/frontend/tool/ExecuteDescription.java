package dev.assay.frontend.tool;

/** The description of {@code execute_custom_analytics_code} that agents read. */
final class ExecuteDescription {
  private ExecuteDescription() {}

  static String text(ExecuteCustomAnalyticsCode.Settings settings) {
    return """
        Runs Python code of your own over one loaded dataset and returns what it printed, as text.

        What you need to know:
        - The dataset is there as df, a pandas DataFrame. It and those named in datasets are also \
        there under their own names, such as sales_data, and as datasets["NAME"].
        - Already imported: pandas as pd, numpy as np, plotly.express as px.
        - Only printed output comes back, so print() every result you want to see. The value of a \
        last expression is not shown.
        - Errors come back as text with the traceback, after whatever was printed before them, so \
        that you can fix the code and call again.
        - Each call runs isolated, in a container of its own without network or memory of earlier \
        calls, and is stopped after ${TIMEOUT} seconds; set timeout_seconds (1 to ${MAX}) for another limit.

        Examples of python_code:

        Basic analysis
            print(f"{len(df)} rows, columns: {list(df.columns)}")
            print(df.dtypes)
            print(df.head(3).to_string())

        Custom calculation
            per_region = df.assign(revenue=df["price"] * df["quantity"]).groupby("region")["revenue"]
            summary = per_region.agg(["count", "sum", "median"]).sort_values("sum", ascending=False)
            print(summary.head(10).round(2).to_string())

        Correlations and trend
            print(df.corr(numeric_only=True).round(3).to_string())
            month = pd.to_datetime(df["date"]).dt.to_period("M")
            print(df.groupby(month)["price"].mean().pct_change().round(4))
        """
        .replace("${TIMEOUT}", Integer.toString(settings.timeoutSeconds()))
        .replace("${MAX}", Integer.toString(settings.maxTimeoutSeconds()))
        .strip();
  }
}
