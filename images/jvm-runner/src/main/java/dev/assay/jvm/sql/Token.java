package dev.assay.jvm.sql;

/**
 * A token of SQL text.
 *
 * @param start of its first character
 * @param end after its last character
 * @param text as it is written
 */
record Token(Kind kind, int start, int end, String text) {
  enum Kind {
    /** A keyword or a name without quotes, or a number. */
    WORD,
    /** A name in double quotes. */
    NAME,
    STRING,
    /** {@code ?}, {@code $1} or {@code $name}. */
    PARAMETER,
    /** One character of anything else. */
    SYMBOL
  }

  boolean is(String symbol) {
    return kind == Kind.SYMBOL && text.equals(symbol);
  }
}
