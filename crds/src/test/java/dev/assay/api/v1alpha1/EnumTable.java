package dev.assay.api.v1alpha1;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The constants of an enum as a Markdown table, from the comments in its source. */
final class EnumTable {
  private static final Pattern SENTENCE_END = Pattern.compile("\\. ");

  private EnumTable() {}

  /**
   * A row for each constant: its name, the first sentence of its comment, and, where any constant
   * has more than one, the rest.
   */
  static String of(Class<? extends Enum<?>> type) {
    List<Row> rows =
        Stream.of(type.getEnumConstants())
            .filter(KnownValues::isKnown)
            .map(EnumTable::row)
            .toList();
    boolean notes = rows.stream().anyMatch(row -> !row.note.isEmpty());
    String head = "| " + type.getSimpleName() + " | meaning |" + (notes ? " note |" : "") + "\n";
    String line = notes ? "|---|---|---|\n" : "|---|---|\n";
    return rows.stream()
        .map(row -> row.cells() + (notes ? " " + row.note + " |" : "") + "\n")
        .collect(Collectors.joining("", head + line, ""));
  }

  /**
   * A page whose table of an enum is the current one.
   *
   * @throws IllegalStateException where the page has none
   */
  static String replaceIn(String page, Class<? extends Enum<?>> type) {
    Matcher table =
        Pattern.compile("(?m)^\\| " + type.getSimpleName() + " \\|.*\\n(?:\\|.*\\n)*")
            .matcher(page);
    if (!table.find()) {
      throw new IllegalStateException("the page has no table of " + type);
    }
    return table.replaceFirst(Matcher.quoteReplacement(of(type)));
  }

  private static Row row(Enum<?> constant) {
    String comment = Javadoc.of(constant).replaceFirst("\\.$", "");
    String[] sentences = SENTENCE_END.split(comment, 2);
    return new Row(constant.name(), sentences[0], sentences.length == 2 ? sentences[1] : "");
  }

  private record Row(String name, String meaning, String note) {
    String cells() {
      return "| `" + name + "` | " + meaning + " |";
    }
  }
}
