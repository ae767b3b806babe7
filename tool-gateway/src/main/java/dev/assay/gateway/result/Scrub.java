package dev.assay.gateway.result;

import dev.assay.gateway.definition.CleanText;
import dev.assay.gateway.definition.Json;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Removes credentials from what a server replies: it may echo the headers that it was sent. Their
 * exact texts are found, and those in which characters are escaped as in JSON or in URLs. Pure.
 */
public final class Scrub {
  /** What is in the place of a credential. */
  public static final String REDACTED = "[redacted]";

  private static final String REDACTED_LITERAL = Matcher.quoteReplacement(REDACTED);

  /** Removes nothing. */
  public static final Scrub NONE = new Scrub(List.of());

  private final List<String> secrets;
  private final List<Pattern> escaped;

  /** Removes texts, none of them empty. */
  public Scrub(List<String> secrets) {
    this.secrets =
        secrets.stream()
            .distinct()
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
    this.escaped = this.secrets.stream().map(Scrub::escaped).toList();
  }

  /** Each character as it is, or escaped; JSON in JSON escapes the escapes, too. */
  private static Pattern escaped(String secret) {
    StringBuilder pattern = new StringBuilder(secret.length() * 40);
    secret
        .replaceAll("\\\\+", "\\\\")
        .codePoints()
        .forEach(
            character -> {
              if (character == '\\') {
                pattern.append("\\\\{1,64}+");
                return;
              }
              String hex = "%02x".formatted(character);
              pattern
                  .append("(?:\\\\{0,7}")
                  .append(Pattern.quote(Character.toString(character)))
                  .append("|\\\\{1,7}u00(?i:")
                  .append(hex)
                  .append(")|%(?i:")
                  .append(hex)
                  .append("))");
            });
    return Pattern.compile(pattern.toString());
  }

  /** A text in one line, without credentials and invisible characters, cut after these. */
  public String line(String text, int maxLength) {
    // Without what is removed, a credential may appear that was not there before.
    String line = of(CleanText.of(of(text))).replaceAll("\\s+", " ").strip();
    return CleanText.line(of(line), maxLength);
  }

  /** The text without credentials. */
  public String of(String text) {
    String scrubbed = text;
    for (String secret : secrets) {
      scrubbed = scrubbed.replace(secret, REDACTED);
    }
    if (scrubbed.indexOf('\\') >= 0 || scrubbed.indexOf('%') >= 0) {
      for (Pattern secret : escaped) {
        scrubbed = secret.matcher(scrubbed).replaceAll(REDACTED_LITERAL);
      }
    }
    return scrubbed;
  }

  /** The value without credentials in its texts, numbers and names of members. */
  public JsonNode of(JsonNode node) {
    if (secrets.isEmpty()) {
      return node;
    }
    return Json.mapped(node, this::of, this::scalar);
  }

  private JsonNode scalar(JsonNode node) {
    String text = node.asString("");
    String scrubbed = of(text);
    return scrubbed.equals(text) ? node : Json.text(scrubbed);
  }
}
