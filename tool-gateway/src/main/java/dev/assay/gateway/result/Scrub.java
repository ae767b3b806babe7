package dev.assay.gateway.result;

import dev.assay.gateway.definition.Json;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Removes credentials from what a server replies: it may echo the headers that it was sent. Only
 * their exact texts are found. Pure.
 */
public final class Scrub {
  /** What is in the place of a credential. */
  public static final String REDACTED = "[redacted]";

  /** Removes nothing. */
  public static final Scrub NONE = new Scrub(List.of());

  private final List<String> secrets;

  /** Removes texts, none of them empty. */
  public Scrub(List<String> secrets) {
    this.secrets =
        secrets.stream()
            .distinct()
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
  }

  /** The text without credentials. */
  public String of(String text) {
    String scrubbed = text;
    for (String secret : secrets) {
      scrubbed = scrubbed.replace(secret, REDACTED);
    }
    return scrubbed;
  }

  /** The value without credentials in its texts, numbers and names of members. */
  public JsonNode of(JsonNode node) {
    if (secrets.isEmpty()) {
      return node;
    }
    if (node.isArray()) {
      ArrayNode array = Json.MAPPER.createArrayNode();
      node.forEach(element -> array.add(of(element)));
      return array;
    }
    if (node.isObject()) {
      ObjectNode object = Json.MAPPER.createObjectNode();
      for (Map.Entry<String, JsonNode> member : node.properties()) {
        object.set(of(member.getKey()), of(member.getValue()));
      }
      return object;
    }
    String text = node.asString("");
    String scrubbed = of(text);
    return scrubbed.equals(text) ? node : Json.MAPPER.getNodeFactory().stringNode(scrubbed);
  }
}
