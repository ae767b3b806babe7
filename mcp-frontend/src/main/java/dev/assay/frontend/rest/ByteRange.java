package dev.assay.frontend.rest;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A part of a file that a request asks for.
 *
 * @param first number of the first byte
 * @param last number of the last byte; not less
 */
record ByteRange(long first, long last) {
  private static final Pattern ONE = Pattern.compile("bytes=\\s*([0-9]{0,18})-([0-9]{0,18})\\s*");

  /** What a request asks for. */
  sealed interface Wanted {}

  /** All of it: there is no range, or one of a form that a server need not know. */
  record Whole() implements Wanted {}

  /** A part of it. */
  record Part(ByteRange range) implements Wanted {}

  /** A part that it does not have. */
  record Unsatisfiable() implements Wanted {}

  /**
   * Reads the header {@code Range}. Several ranges are answered with all of it.
   *
   * @param length of the file
   */
  static Wanted of(Optional<String> header, long length) {
    Matcher one = ONE.matcher(header.orElse(""));
    if (!one.matches() || (one.group(1).isEmpty() && one.group(2).isEmpty())) {
      return new Whole();
    }
    if (one.group(1).isEmpty()) {
      long suffix = Math.min(length, Long.parseLong(one.group(2)));
      return suffix == 0
          ? new Unsatisfiable()
          : new Part(new ByteRange(length - suffix, length - 1));
    }
    long first = Long.parseLong(one.group(1));
    long last = one.group(2).isEmpty() ? length - 1 : Long.parseLong(one.group(2));
    if (!one.group(2).isEmpty() && last < first) {
      return new Whole();
    }
    return first >= length
        ? new Unsatisfiable()
        : new Part(new ByteRange(first, Math.min(last, length - 1)));
  }

  /** How many bytes it has. */
  long length() {
    return last - first + 1;
  }
}
