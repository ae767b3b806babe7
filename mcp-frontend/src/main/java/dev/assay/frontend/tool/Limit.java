package dev.assay.frontend.tool;

/**
 * How long an argument may be.
 *
 * @param bytes of UTF-8
 * @param advice what to do with a longer one, a sentence; empty where it cannot be helped
 */
record Limit(int bytes, String advice) {
  Limit(int bytes) {
    this(bytes, "");
  }
}
