package dev.assay.frontend.call;

/**
 * Stands in a call for a value that is longer than most tools take, and was not read.
 *
 * @param kind what it is
 * @param bytes of UTF-8 of a text; of an array or object, of its JSON
 * @param body the whole request, which must not be changed
 * @param start where the value's JSON begins in it
 * @param length of the value's JSON
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record OversizedValue(Kind kind, long bytes, byte[] body, int start, int length) {
  /** What a value is. */
  public enum Kind {
    TEXT,
    ARRAY,
    OBJECT
  }
}
