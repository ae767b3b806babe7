package dev.assay.frontend.argument;

/**
 * How long an argument may be.
 *
 * @param bytes of UTF-8
 * @param advice what to do with a longer one, a sentence; empty where it cannot be helped
 */
public record Limit(int bytes, String advice) {
  public Limit(int bytes) {
    this(bytes, "");
  }
}
