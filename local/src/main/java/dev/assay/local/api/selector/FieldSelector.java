package dev.assay.local.api.selector;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.local.api.status.ApiException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A field selector in its text form, such as {@code metadata.name=one}. */
public final class FieldSelector implements Predicate<JsonNode> {
  private static final Pattern REQUIREMENT = Pattern.compile("([A-Za-z.]+)(==|=|!=)(.*)");
  private static final Set<String> OF_ALL = Set.of("metadata.name", "metadata.namespace");
  private static final Map<String, Set<String>> OF_KIND =
      Map.of(
          "Event",
          Set.of(
              "involvedObject.kind",
              "involvedObject.namespace",
              "involvedObject.name",
              "involvedObject.uid",
              "involvedObject.apiVersion",
              "involvedObject.resourceVersion",
              "involvedObject.fieldPath",
              "reason",
              "type"),
          "Pod",
          Set.of("spec.nodeName", "spec.restartPolicy", "status.phase", "status.podIP"),
          "Secret",
          Set.of("type"),
          "Namespace",
          Set.of("status.phase"));

  private final List<Predicate<JsonNode>> requirements;

  private FieldSelector(List<Predicate<JsonNode>> requirements) {
    this.requirements = requirements;
  }

  /**
   * Reads a selector.
   *
   * @param text all requirements; empty for none
   * @param kind of the objects: each has fields of its own that can be asked for
   * @throws ApiException where it is malformed, or has a field that cannot be asked for
   */
  public static FieldSelector parse(String text, String kind) {
    List<Predicate<JsonNode>> requirements = new ArrayList<>();
    for (String requirement : text.isBlank() ? new String[0] : text.split(",", -1)) {
      Matcher matcher = REQUIREMENT.matcher(requirement);
      if (!matcher.matches()) {
        throw ApiException.badRequest(
            "invalid selector: '%s'; can't understand '%s'".formatted(text, requirement));
      }
      String field = matcher.group(1);
      if (!OF_ALL.contains(field) && !OF_KIND.getOrDefault(kind, Set.of()).contains(field)) {
        throw ApiException.badRequest("field label not supported: " + field);
      }
      String value = matcher.group(3);
      boolean wanted = !matcher.group(2).equals("!=");
      String pointer = "/" + field.replace('.', '/');
      requirements.add(object -> object.at(pointer).asText("").equals(value) == wanted);
    }
    return new FieldSelector(requirements);
  }

  @Override
  public boolean test(JsonNode object) {
    return requirements.stream().allMatch(requirement -> requirement.test(object));
  }
}
