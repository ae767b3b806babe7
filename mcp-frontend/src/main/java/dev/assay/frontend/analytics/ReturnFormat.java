package dev.assay.frontend.analytics;

import java.util.Locale;

/** What a reply to a query contains. */
public enum ReturnFormat {
  /** Rows as objects. */
  JSON,
  /** Rows as text. */
  CSV,
  /** Statistics of the columns. */
  SUMMARY,
  /** A chart of the rows, without them. */
  CHART;

  /** The name in calls. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
