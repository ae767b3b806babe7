package dev.assay.jvm.engine;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * An error of the engine, taken apart.
 *
 * @param type such as {@code Binder}
 * @param message without the type
 * @param subtype such as {@code COLUMN_NOT_FOUND}; else empty
 * @param kind of what is missing, such as {@code Table}; else empty
 * @param name of what is missing; else empty
 * @param candidates names that are there
 * @param position in bytes of the statement; -1 if it is unknown
 */
public record EngineError(
    String type,
    String message,
    String subtype,
    String kind,
    String name,
    List<String> candidates,
    int position) {
  private static final JsonFactory JSON = new JsonFactory();

  public EngineError {
    candidates = List.copyOf(candidates);
  }

  /** Takes an exception of the driver apart; the engine was told to write its errors as JSON. */
  public static EngineError of(SQLException exception) {
    String text = String.valueOf(exception.getMessage());
    int start = text.indexOf('{');
    Map<String, String> members = start < 0 ? Map.of() : members(text.substring(start));
    String type = members.getOrDefault("exception_type", "");
    if (type.isEmpty()) {
      return plain(text);
    }
    String candidates = members.getOrDefault("candidates", "");
    return new EngineError(
        type,
        members.getOrDefault("exception_message", ""),
        members.getOrDefault("error_subtype", ""),
        members.getOrDefault("type", ""),
        members.getOrDefault("name", ""),
        candidates.isEmpty() ? List.of() : List.of(candidates.split(",\\s*")),
        position(members.getOrDefault("position", "")));
  }

  private static EngineError plain(String text) {
    int end = text.indexOf(" Error: ");
    boolean hasType = end > 0 && end < 40;
    return new EngineError(
        hasType ? text.substring(0, end) : "",
        hasType ? text.substring(end + " Error: ".length()) : text,
        "",
        "",
        "",
        List.of(),
        -1);
  }

  private static int position(String text) {
    return text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
  }

  private static Map<String, String> members(String text) {
    Map<String, String> members = new LinkedHashMap<>();
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String member = json.currentName();
        if (json.nextToken() == JsonToken.VALUE_STRING) {
          members.put(member, json.getString());
        } else {
          json.skipChildren();
        }
      }
    } catch (JacksonException e) {
      return Map.of();
    }
    return members;
  }

  /** Whether the engine was interrupted. */
  public boolean isInterrupt() {
    return type.equalsIgnoreCase("Interrupt") || message.contains("INTERRUPT");
  }

  /** Whether the text is not SQL. */
  public boolean isSyntax() {
    return type.equals("Parser") || type.equals("Syntax");
  }

  /** Whether there was too little memory, or too little room on disk instead. */
  public boolean isOutOfMemory() {
    return type.equals("Out of Memory") || message.contains("No space left on device");
  }
}
