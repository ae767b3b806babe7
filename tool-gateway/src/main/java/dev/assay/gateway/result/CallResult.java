package dev.assay.gateway.result;

import dev.assay.gateway.definition.Json;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a script gets of the result of a call. Pure.
 *
 * @param isError whether the tool reports an error
 * @param value what the script reads as {@code result}
 * @param text the text blocks, joined by line feeds
 * @param raw content, structuredContent and isError as the server sent them
 */
public record CallResult(boolean isError, JsonNode value, String text, JsonNode raw) {
  private static final String CONTENT = "content";
  private static final String STRUCTURED = "structuredContent";
  private static final String IS_ERROR = "isError";

  /** Beyond, JavaScript writes a number with an exponent, or not as it was read. */
  private static final double MAX_PLAIN = 1e21;

  private static final double MIN_PLAIN = 1e-6;

  /** Reads the result of {@code tools/call}; empty if it is no such result. */
  public static Optional<CallResult> read(@Nullable JsonNode result) {
    if (result == null || !result.isObject()) {
      return Optional.empty();
    }
    JsonNode content = result.path(CONTENT);
    JsonNode structured = result.path(STRUCTURED);
    if (!content.isArray() && !structured.isObject()) {
      return Optional.empty();
    }
    ObjectNode raw = Json.MAPPER.createObjectNode();
    raw.set(CONTENT, content.isArray() ? content : Json.MAPPER.createArrayNode());
    if (!structured.isMissingNode() && !structured.isNull()) {
      raw.set(STRUCTURED, structured);
    }
    boolean isError = result.path(IS_ERROR).asBoolean(false);
    raw.put(IS_ERROR, isError);
    return Optional.of(
        new CallResult(isError, value(raw.path(CONTENT), structured), text(content), raw));
  }

  private static JsonNode value(JsonNode content, JsonNode structured) {
    if (structured.isObject()) {
      JsonNode only = structured.path("result");
      return structured.size() == 1 && !only.isMissingNode() && !only.isObject()
          ? only
          : structured;
    }
    boolean areTexts = !content.isEmpty() && content.valueStream().allMatch(CallResult::isText);
    if (!areTexts) {
      return content;
    }
    String text = text(content);
    return (content.size() == 1 ? json(text) : Optional.<JsonNode>empty())
        .orElseGet(() -> Json.MAPPER.getNodeFactory().stringNode(text));
  }

  private static boolean isText(JsonNode block) {
    return block.path("type").asString("").equals("text") && block.path("text").isString();
  }

  private static String text(JsonNode content) {
    return content
        .valueStream()
        .filter(CallResult::isText)
        .map(block -> block.path("text").stringValue())
        .collect(Collectors.joining("\n"));
  }

  /** The value of a text that is JSON; of a scalar only if JavaScript writes it the same way. */
  private static Optional<JsonNode> json(String text) {
    try {
      JsonNode value = Json.MAPPER.readTree(text);
      if (value == null || value.isMissingNode()) {
        return Optional.empty();
      }
      if (value.isContainer()) {
        return Optional.of(value);
      }
      String again =
          value.isNumber()
              ? javaScript(value.decimalValue())
              : Json.MAPPER.writeValueAsString(value);
      return text.equals(again) ? Optional.of(value) : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  /** As JavaScript writes a number; empty where it uses an exponent. */
  private static String javaScript(BigDecimal number) {
    double value = number.doubleValue();
    double size = Math.abs(value);
    if (value == 0) {
      return "0";
    }
    return size < MIN_PLAIN || size >= MAX_PLAIN
        ? ""
        : new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }
}
