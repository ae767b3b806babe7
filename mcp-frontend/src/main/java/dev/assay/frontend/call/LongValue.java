package dev.assay.frontend.call;

/**
 * Stands in a call for a value that is longer than any tool takes, and was passed over.
 *
 * @param kind what it is
 * @param bytes of UTF-8 of a text; of an array or object, of its JSON
 */
public record LongValue(Kind kind, long bytes) {
  /** What a value is. */
  public enum Kind {
    TEXT,
    ARRAY,
    OBJECT
  }
}
