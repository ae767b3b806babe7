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

  /**
   * ISO 8601, or with a year of our time and without zeros: the engine would also take {@code
   * 555-1-2} for a date.
   */
  private static final String ISO_PATTERN =
      "^([0-9]{4}-[0-9]{2}-[0-9]{2}|(1[6-9]|2[01])[0-9]{2}[-/][0-9]{1,2}[-/][0-9]{1,2})($|[ T])";

  /** Numbers alone may be a version, such as {@code 3.11.4}: the engine takes 4 for a year. */
  private static final String OTHER_PATTERN =
      "[A-Za-z]|^[0-9]{1,2}([/-][0-9]{1,2}[/-]([0-9]{2}|[0-9]{4})|[.][0-9]{1,2}[.][0-9]{4})($| )"
          + "|^[0-9]{2}[.][0-9]{2}[.][0-9]{2}($| )";

  /** Whether a text may be a date of the other formats, as an expression. */
  static String mayBeOther(String text) {
    return "regexp_matches(" + text + ", '" + OTHER_PATTERN + "')";
  }

  /** The format with day and month exchanged; the same if it has a name of the month. */
  DateFormat exchanged() {
    return new DateFormat(
        pattern.contains("%m")
            ? pattern.replace("%d", "%\0").replace("%m", "%d").replace("%\0", "%m")
            : pattern);
  }

  /** The time that a text is, as an expression: null if it is none. */
  String parsed(String text) {
    return pattern.isEmpty()
        ? "(CASE WHEN regexp_matches(%1$s, '%2$s') THEN try_cast(%1$s AS TIMESTAMP) END)"
            .formatted(text, ISO_PATTERN)
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
