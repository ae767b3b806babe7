package dev.assay.api.v1alpha1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The constants of an enum as a Markdown table, from the comments in its source. */
final class EnumTable {
  private static final Path SOURCES = Path.of("src/main/java/dev/assay/api/v1alpha1");
  private static final Pattern SENTENCE_END = Pattern.compile("\\. ");
  private static final Pattern CODE = Pattern.compile("\\{@code ([^}]*)}");

  private EnumTable() {}

  /**
   * A row for each constant: its name, the first sentence of its comment, and, where any constant
   * has more than one, the rest.
   *
   * @throws IllegalStateException where a constant has no comment
   */
  static String of(Class<? extends Enum<?>> type) throws IOException {
    String source = Files.readString(SOURCES.resolve(type.getSimpleName() + ".java"));
    Map<String, String> comments =
        Stream.of(type.getEnumConstants())
            .map(Enum::name)
            .collect(
                Collectors.toMap(
                    name -> name, name -> comment(source, name), (a, b) -> a, LinkedHashMap::new));
    boolean notes = comments.values().stream().anyMatch(text -> SENTENCE_END.matcher(text).find());
    String head = "| " + type.getSimpleName() + " | meaning |" + (notes ? " note |" : "") + "\n";
    String line = notes ? "|---|---|---|\n" : "|---|---|\n";
    return comments.entrySet().stream()
        .map(entry -> row(entry.getKey(), entry.getValue(), notes))
        .collect(Collectors.joining("", head + line, ""));
  }

  private static String row(String name, String comment, boolean notes) {
    String[] sentences = SENTENCE_END.split(comment.replaceFirst("\\.$", ""), 2);
    String note = sentences.length == 2 ? sentences[1] : "";
    return "| `" + name + "` | " + sentences[0] + " |" + (notes ? " " + note + " |" : "") + "\n";
  }

  private static String comment(String source, String constant) {
    Matcher found =
        Pattern.compile("/\\*\\*([^/]*?)\\*/\\s*" + constant + "\\s*[,;}]").matcher(source);
    if (!found.find()) {
      throw new IllegalStateException(constant + " has no comment");
    }
    String text = found.group(1).replaceAll("\\s+\\*?\\s*", " ").strip();
    return CODE.matcher(text).replaceAll("`$1`");
  }
}
