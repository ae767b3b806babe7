package dev.assay.frontend.analytics;

/** What a reply has of a chart. */
public enum ChartReply {
  /** Nothing: no chart is wanted. */
  NONE,
  /** The picture. */
  PICTURE,
  /** The picture, and its bytes as text in the document. */
  WITH_TEXT
}
