package dev.assay.jvm.profile;

import java.util.List;
import java.util.stream.Collectors;

/**
 * How dates are written in a column of texts.
 *
 * @param pattern of the engine's {@code strptime}; empty for ISO 8601
 */
record DateFormat(String pattern) {
  static final DateFormat ISO = new DateFormat("");

  /** In order of preference; those with a year of two digits first, which others would accept. */
  static final List<DateFormat> OTHERS =
      List.of(
              "%m/%d/%y",
              "%m/%d/%Y",
              "%d/%m/%y",
              "%d/%m/%Y",
              "%d.%m.%y",
              "%d.%m.%Y",
              "%m-%d-%Y",
              "%d-%m-%Y",
              "%b %d %Y",
              "%b %d, %Y",
              "%B %d, %Y",
              "%d %b %Y",
              "%d %B %Y",
              "%d-%b-%y",
              "%d-%b-%Y",
              "%m/%d/%Y %H:%M",
              "%m/%d/%Y %H:%M:%S",
              "%m/%d/%Y %I:%M %p",
              "%d/%m/%Y %H:%M",
              "%d/%m/%Y %H:%M:%S",
              "%d.%m.%Y %H:%M",
              "%d.%m.%Y %H:%M:%S")
          .stream()
          .map(DateFormat::new)
          .toList();

  /** The time that a text is, as an expression: null if it is none. */
  String parsed(String text) {
    return pattern.isEmpty()
        ? "try_cast(" + text + " AS TIMESTAMP)"
        : "try_strptime(" + text + ", '" + pattern + "')";
  }

  /** The time that a text is in any of the other formats, as an expression. */
  static String parsedByAny(String text) {
    return OTHERS.stream()
        .map(format -> "'" + format.pattern + "'")
        .collect(Collectors.joining(",", "try_strptime(" + text + ", [", "])"));
  }

  /** The format as people read it. */
  String shown() {
    return pattern.isEmpty() ? "ISO 8601" : pattern;
  }
}
