package dev.assay.api.v1alpha1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The comments in the sources of the types, as plain text. */
final class Javadoc {
  private static final Path SOURCES = Path.of("src/main/java/dev/assay/api/v1alpha1");
  private static final Pattern PARAMETER =
      Pattern.compile("@param (\\w+) (.*?)(?= @param | @throws |$)");
  private static final Pattern CODE = Pattern.compile("\\{@code ([^}]*)}");
  private static final Pattern BOUND = Pattern.compile("\\{@value Bounds#(\\w+)}");

  private Javadoc() {}

  /** What a type is: its comment up to the parameters. */
  static String of(Class<?> type) {
    String comment = comment(type, declaration(type));
    return sentence(comment.replaceFirst(" ?@param .*", ""));
  }

  /**
   * What a component of a record is.
   *
   * @throws IllegalStateException where its record's comment has no parameter for it
   */
  static String of(Class<?> type, String component) {
    return PARAMETER
        .matcher(comment(type, declaration(type)))
        .results()
        .filter(found -> found.group(1).equals(component))
        .map(found -> sentence(found.group(2)))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(type + " has no @param " + component));
  }

  /** What a constant of an enum is, as Markdown. */
  static String of(Enum<?> constant) {
    String comment = comment(constant.getDeclaringClass(), constant.name() + "\\s*[,;}]");
    return CODE.matcher(comment).replaceAll("`$1`");
  }

  private static String declaration(Class<?> type) {
    return "public (record|class) " + type.getSimpleName() + "\\b";
  }

  private static String comment(Class<?> type, String declared) {
    String source = source(type);
    Matcher declaration = Pattern.compile("(?m)^ *" + declared).matcher(source);
    if (!declaration.find()) {
      throw new IllegalStateException("no source declares " + declared);
    }
    int begin = source.lastIndexOf("/**", declaration.start());
    String text = source.substring(begin + 3, source.indexOf("*/", begin));
    return text.replaceAll("(?m)^\\s*\\* ?", " ").replaceAll("\\s+", " ").strip();
  }

  private static String source(Class<?> type) {
    Class<?> outer = type.getNestHost();
    try {
      return Files.readString(SOURCES.resolve(outer.getSimpleName() + ".java"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sentence(String text) {
    String plain = CODE.matcher(text).replaceAll("$1");
    plain = BOUND.matcher(plain).replaceAll(Javadoc::bound);
    if (plain.contains("{@")) {
      throw new IllegalStateException("only @code and @value can be put into a CRD: " + text);
    }
    String end = plain.endsWith(".") ? "" : ".";
    return Character.toUpperCase(plain.charAt(0)) + plain.substring(1) + end;
  }

  private static String bound(MatchResult found) {
    try {
      return String.valueOf(Bounds.class.getField(found.group(1)).get(null));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
