package dev.assay.jvm.profile;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Texts that are numbers with something around them, such as {@code $1,234.50} or {@code 12 kg}.
 */
final class NumberForms {
  private static final int MAX_SHAPES = 8;
  private static final int MAX_SHOWN = 4;

  /** What people write where they have no number, in lower case. */
  private static final Set<String> PLACEHOLDERS =
      Set.of(
          "-", "--", "–", "—", "?", ".", "n/a", "na", "n.a.", "none", "null", "nil", "unknown",
          "tbd");

  private static final String CURRENCY =
      "[$€£¥₹]|R[$]|USD|EUR|GBP|JPY|CHF|CAD|AUD|INR|CNY|SEK|NOK|DKK|PLN|BRL|ZAR";
  private static final String BEFORE = "^[-+(]?\\s?(" + CURRENCY + ")?\\s?[-+]?";
  private static final String AFTER =
      "\\s?(" + CURRENCY + "|[%‰°]|°?[A-Za-zµ]{1,6}[²³23]?)?\\)?-?$";
  private static final String WITH_POINT =
      BEFORE + "(([0-9]{1,3}([,'' ][0-9]{3})+|[0-9]+)([.][0-9]+)?|[.][0-9]+)" + AFTER;
  private static final String WITH_COMMA =
      BEFORE + "([0-9]{1,3}([.'' ][0-9]{3})+|[0-9]+)(,[0-9]+)?" + AFTER;

  /** Of a shape that has a unit. */
  private static final Pattern UNIT = Pattern.compile("#\\s?(.*?[A-Za-zµ].*?)\\)?$");

  private NumberForms() {}

  /** Counts the texts of an expression that have each form, and collects what is around them. */
  static List<String> aggregates(String text, String name) {
    String placeholders =
        PLACEHOLDERS.stream().sorted().collect(Collectors.joining("','", "('", "')"));
    return List.of(
        "count(*) FILTER (regexp_matches(%s, '%s')) AS u%s".formatted(text, WITH_POINT, name),
        "count(*) FILTER (regexp_matches(%s, '%s')) AS e%s".formatted(text, WITH_COMMA, name),
        "count(*) FILTER (lower(%s) IN %s) AS p%s".formatted(text, placeholders, name),
        "map_keys(histogram(regexp_replace(%s, '[0-9][0-9.,'' ]*[0-9]|[.]?[0-9]', '#')))[1:%d] AS s%s"
            .formatted(text, MAX_SHAPES, name));
  }

  /** What {@link #aggregates} are selected as, in their order. */
  static String results(String name) {
    return "u%1$s, e%1$s, p%1$s, s%1$s".formatted(name);
  }

  /**
   * Describes the numbers of a column; null if its texts are no numbers, or nothing but numbers.
   *
   * @param values how many texts there are
   * @param plain how many of them the engine casts to a number
   * @param withPoint how many are numbers with a decimal point, whatever is around them
   * @param withComma how many are numbers with a decimal comma
   * @param placeholders how many stand for a missing number
   * @param shapes the texts with {@code #} for the number, as far as they are few
   */
  static @Nullable String describe(
      long values,
      long plain,
      long withPoint,
      long withComma,
      long placeholders,
      List<String> shapes) {
    boolean hasPoint = withPoint > 0 && withPoint + placeholders == values;
    boolean hasComma = !hasPoint && withComma > 0 && withComma + placeholders == values;
    boolean isTold = plain == values || shapes.size() >= MAX_SHAPES;
    if (isTold || !(hasPoint || hasComma) || units(shapes) > 1) {
      return null;
    }
    List<String> around = shapes.stream().filter(shape -> !isPlaceholder(shape)).toList();
    String shown = around.stream().limit(MAX_SHOWN).collect(Collectors.joining(" or "));
    String comma = hasComma ? " with a decimal comma" : "";
    List<String> others = shapes.stream().filter(NumberForms::isPlaceholder).toList();
    String missing =
        others.isEmpty()
            ? ""
            : "; %s is no number"
                .formatted(others.stream().limit(MAX_SHOWN).collect(Collectors.joining(", ")));
    return shown + comma + missing;
  }

  private static boolean isPlaceholder(String shape) {
    return PLACEHOLDERS.contains(shape.toLowerCase(Locale.ROOT));
  }

  /** House numbers such as 12a and 12b have different letters, amounts of one column have not. */
  private static long units(List<String> shapes) {
    return shapes.stream()
        .map(UNIT::matcher)
        .filter(matcher -> matcher.find())
        .map(matcher -> matcher.group(1))
        .distinct()
        .count();
  }
}
