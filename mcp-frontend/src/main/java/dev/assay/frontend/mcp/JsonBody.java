package dev.assay.frontend.mcp;

import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** What a body says, if it is one JSON object. */
public sealed interface JsonBody {
  /**
   * The members of the object.
   *
   * @param values as they came; what is longer than any tool takes is a {@link
   *     dev.assay.frontend.call.OversizedValue}
   * @param heapBytes about what all of it takes in memory
   */
  record Members(Map<String, Object> values, long heapBytes) implements JsonBody {}

  /** It is JSON, and something else than an object. */
  record NoObject() implements JsonBody {}

  /**
   * It cannot be read.
   *
   * @param why for whoever wrote the client
   */
  record Unreadable(String why) implements JsonBody {}

  /** Reads a body, whatever it is, in bounded memory. */
  @SuppressWarnings("unchecked") // Members of JSON objects have names.
  static JsonBody read(byte[] body, JsonMapper json) {
    try {
      BoundedJson.Read read = BoundedJson.read(body, json);
      return read.value() instanceof Map<?, ?> members
          ? new Members((Map<String, Object>) members, read.heapBytes())
          : new NoObject();
    } catch (InvalidJsonException e) {
      return new Unreadable(e.text());
    } catch (JacksonException e) {
      return new Unreadable("The body is not valid JSON" + where(e));
    }
  }

  private static String where(JacksonException e) {
    var place = e.getLocation();
    return place == null || place.getLineNr() < 1
        ? ""
        : " (line " + place.getLineNr() + ", column " + place.getColumnNr() + ")";
  }
}
