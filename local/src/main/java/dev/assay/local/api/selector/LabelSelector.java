package dev.assay.local.api.selector;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.local.api.status.ApiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A label selector in its text form, such as {@code app=web,tier in (a,b),!canary}. */
public final class LabelSelector implements Predicate<JsonNode> {
  private static final String KEY = "([A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?)";
  private static final Pattern EXISTS = Pattern.compile("(!?)\\s*" + KEY);
  private static final Pattern EQUALITY =
      Pattern.compile(KEY + "\\s*(==|=|!=)\\s*([-A-Za-z0-9_.]*)");
  private static final Pattern SET =
      Pattern.compile(KEY + "\\s+(in|notin)\\s*\\(([-A-Za-z0-9_.,\\s]*)\\)");

  private final List<Predicate<JsonNode>> requirements;

  private LabelSelector(List<Predicate<JsonNode>> requirements) {
    this.requirements = requirements;
  }

  /**
   * Reads a selector.
   *
   * @param text all requirements; empty for none
   * @throws ApiException where it is malformed
   */
  public static LabelSelector parse(String text) {
    List<Predicate<JsonNode>> requirements = new ArrayList<>();
    if (!text.isBlank()) {
      for (String requirement : split(text)) {
        requirements.add(requirement(requirement.strip()));
      }
    }
    return new LabelSelector(requirements);
  }

  /** Splits at the commas that are not between parentheses. */
  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int begin = 0;
    for (int i = 0; i < text.length(); i++) {
      char at = text.charAt(i);
      depth += at == '(' ? 1 : at == ')' ? -1 : 0;
      if (at == ',' && depth == 0) {
        parts.add(text.substring(begin, i));
        begin = i + 1;
      }
    }
    parts.add(text.substring(begin));
    return parts;
  }

  private static Predicate<JsonNode> requirement(String text) {
    Matcher set = SET.matcher(text);
    if (set.matches()) {
      Set<String> values = Set.copyOf(List.of(set.group(3).strip().split("\\s*,\\s*", -1)));
      return oneOf(set.group(1), values, set.group(2).equals("in"));
    }
    Matcher equality = EQUALITY.matcher(text);
    if (equality.matches()) {
      return oneOf(equality.group(1), Set.of(equality.group(3)), !equality.group(2).equals("!="));
    }
    Matcher exists = EXISTS.matcher(text);
    if (exists.matches()) {
      boolean wanted = exists.group(1).isEmpty();
      return labels -> labels.has(exists.group(2)) == wanted;
    }
    throw ApiException.badRequest("unable to parse requirement: " + text);
  }

  /** An object without the label is none of the values, which is what "not one of" asks for. */
  private static Predicate<JsonNode> oneOf(String key, Set<String> values, boolean wanted) {
    return labels -> (labels.has(key) && values.contains(labels.get(key).asText())) == wanted;
  }

  @Override
  public boolean test(JsonNode object) {
    JsonNode labels = object.path("metadata").path("labels");
    return requirements.stream().allMatch(requirement -> requirement.test(labels));
  }
}
