package dev.assay.gateway.definition;

import java.util.Map;
import java.util.function.UnaryOperator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** How JSON is read and written. */
public final class Json {
  /** A value of a document takes a hundred bytes of memory, even where it has one of text. */
  public static final int MAX_TOKENS = 200_000;

  private static final int MAX_DEPTH = 200;
  private static final int MAX_NUMBER_LENGTH = 400;
  private static final int MAX_STRING_LENGTH = 32 << 20;

  /**
   * Keeps numbers as they were written (1.0 stays 1.0), and refuses deep nesting, very many values,
   * members that occur twice and anything after the end.
   */
  public static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxTokenCount(MAX_TOKENS)
                          .maxNumberLength(MAX_NUMBER_LENGTH)
                          .maxStringLength(MAX_STRING_LENGTH)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
          .build();

  private static final JsonMapper CANONICAL =
      MAPPER.rebuild().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  private Json() {}

  /** The text of a value with the members of its objects in the order of their names. */
  public static String canonical(JsonNode node) {
    return CANONICAL.writeValueAsString(CANONICAL.convertValue(node, Object.class));
  }

  /** A text as a value. */
  public static JsonNode text(String text) {
    return MAPPER.getNodeFactory().stringNode(text);
  }

  /** How many tokens the text of a value has, as they are counted against {@link #MAX_TOKENS}. */
  public static long tokens(JsonNode node) {
    if (!node.isContainer()) {
      return 1;
    }
    long tokens = 2L + (node.isObject() ? node.size() : 0);
    for (JsonNode element : node) {
      tokens += tokens(element);
    }
    return tokens;
  }

  /**
   * A copy of a value with other names and scalars.
   *
   * @param name the new name of a member
   * @param scalar the new value for one that is neither an array nor an object
   */
  public static JsonNode mapped(
      JsonNode node, UnaryOperator<String> name, UnaryOperator<JsonNode> scalar) {
    if (node.isArray()) {
      ArrayNode array = MAPPER.createArrayNode();
      node.forEach(element -> array.add(mapped(element, name, scalar)));
      return array;
    }
    if (node.isObject()) {
      ObjectNode object = MAPPER.createObjectNode();
      for (Map.Entry<String, JsonNode> member : node.properties()) {
        object.set(name.apply(member.getKey()), mapped(member.getValue(), name, scalar));
      }
      return object;
    }
    return scalar.apply(node);
  }
}
