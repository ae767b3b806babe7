package dev.assay.jvm.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Sentences about what to look out for in a table. Each names its columns. */
final class Recommendations {
  private static final double MANY_NULLS = 0.1;
  private static final long MANY_DISTINCT = 1000;
  private static final double NEARLY_UNIQUE = 0.9;
  private static final long LONG_TEXT_BYTES = 10_000;
  private static final int MAX_NAMES = 8;
  private static final int MAX_NAME_CHARACTERS = 64;

  private final TableProfile table;
  private final List<String> sentences = new ArrayList<>();

  private Recommendations(TableProfile table) {
    this.table = table;
  }

  static List<String> of(TableProfile table) {
    Recommendations recommendations = new Recommendations(table);
    if (table.rows() == 0) {
      return List.of("The table has no rows.");
    }
    recommendations.recommend();
    return List.copyOf(recommendations.sentences);
  }

  private void recommend() {
    add(Recommendations::isEmpty, "Leave out columns without values: %s.");
    add(
        column -> !isEmpty(column) && column.nullFraction() > MANY_NULLS,
        column -> "%s (%s %% null)".formatted(name(column), column.nullPercent()),
        "Filter or fill columns with many nulls before you aggregate: %s.");
    add(
        column -> column.nulls() > 0 && column.nullFraction() <= MANY_NULLS,
        "Expect some nulls in: %s.");
    add(
        column -> column.distinct() == 1 && table.rows() > 1 && column.nulls() == 0,
        "Leave out columns with one value: %s.");
    addDuplicates();
    add(
        column -> isUnique(column) && !column.isApproximate(),
        "Use as keys, since each row has a value of its own: %s.");
    add(
        column -> isUnique(column) && column.isApproximate(),
        "Probably keys, with about as many values as rows: %s.");
    addTexts();
    add(
        column -> isText(column) && !isUnique(column) && column.distinct() > MANY_DISTINCT,
        column -> "%s (%,d values)".formatted(name(column), column.distinct()),
        "Do not group by texts of high cardinality: %s.");
    add(
        column -> column.statistics().longestText() > LONG_TEXT_BYTES,
        column -> "%s (up to %,d bytes)".formatted(name(column), column.statistics().longestText()),
        "Select long texts only where you need them: %s.");
    add(
        column -> column.source().storage() == StorageType.OTHER && isNested(column),
        column -> "%s (%s)".formatted(name(column), shortened(column.source().type())),
        "Unnest nested columns, or select their fields: %s.");
  }

  private void addDuplicates() {
    if (table.duplicateRows() > 0) {
      double percent = 100.0 * table.duplicateRows() / table.rows();
      sentences.add(
          "Remove duplicate rows before you count: %s%,d of %,d rows (%s %%) repeat another."
              .formatted(
                  table.isDuplicatesApproximate() ? "about " : "",
                  table.duplicateRows(),
                  table.rows(),
                  String.format(Locale.ROOT, percent < 0.1 ? "%.3f" : "%.1f", percent)));
    }
  }

  private void addTexts() {
    add(
        column -> column.inference().dates() != null,
        Recommendations::dates,
        "Convert dates that are stored as text: %s.");
    add(
        column -> column.inference().isNumeric() && column.inference().dates() == null,
        "Cast numbers that are stored as text: %s.");
    add(
        column -> column.inference().numbers() != null && column.inference().dates() == null,
        column -> "%s (%s)".formatted(name(column), column.inference().numbers()),
        "Convert numbers that are stored as text with something around them, where # is the number: %s.");
    add(
        column -> column.source().isMixed(),
        "Check columns with values of several types, which are stored as text: %s.");
  }

  private static String dates(ColumnProfile column) {
    DateFormat format = column.inference().dates();
    long others = column.statistics().values() - column.statistics().dates();
    DateFormat other = column.inference().otherDates();
    return "%s (%s%s%s)"
        .formatted(
            name(column),
            format == null ? "" : format.shown(),
            other == null
                ? ""
                : ", as which min and max are given; %s fits too".formatted(other.shown()),
            others > 0 ? "; %,d values are no dates".formatted(others) : "");
  }

  private static boolean isEmpty(ColumnProfile column) {
    return column.nulls() == column.rows();
  }

  private static boolean isUnique(ColumnProfile column) {
    boolean canBeKey =
        (column.type() == ColumnType.INT64 || column.type() == ColumnType.STRING)
            && column.inference().numbers() == null;
    double wanted = column.isApproximate() ? NEARLY_UNIQUE * column.rows() : column.rows();
    return canBeKey && column.nulls() == 0 && column.rows() > 1 && column.distinct() >= wanted;
  }

  private static boolean isText(ColumnProfile column) {
    return column.type() == ColumnType.STRING && column.source().storage() == StorageType.TEXT;
  }

  private static boolean isNested(ColumnProfile column) {
    String type = column.source().type();
    return type.endsWith("]") || type.endsWith(")");
  }

  private void add(Predicate<ColumnProfile> condition, String sentence) {
    add(condition, Recommendations::name, sentence);
  }

  private void add(
      Predicate<ColumnProfile> condition, Function<ColumnProfile, String> text, String sentence) {
    List<ColumnProfile> columns = table.columns().stream().filter(condition).toList();
    if (!columns.isEmpty()) {
      String names = columns.stream().limit(MAX_NAMES).map(text).collect(Collectors.joining(", "));
      int others = columns.size() - MAX_NAMES;
      sentences.add(sentence.formatted(names + (others > 0 ? " and " + others + " more" : "")));
    }
  }

  private static String name(ColumnProfile column) {
    return "`" + shortened(column.source().name()) + "`";
  }

  private static String shortened(String text) {
    return text.codePointCount(0, text.length()) <= MAX_NAME_CHARACTERS
        ? text
        : text.substring(0, text.offsetByCodePoints(0, MAX_NAME_CHARACTERS)) + "…";
  }
}
