package dev.assay.jvm.chart;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * What a chart shows, or why there is none.
 *
 * @param texts {@code type}, {@code x}, {@code y}, {@code note}; or {@code error}
 * @param points how many are drawn
 */
public record ChartReply(Map<String, String> texts, int points) {
  private static final JsonFactory JSON = new JsonFactory();
  private static final List<String> KNOWN = List.of("type", "x", "y", "note", "error");
  private static final String ERROR = "error";

  public ChartReply {
    texts = Map.copyOf(texts);
  }

  static ChartReply failed(String reason) {
    return new ChartReply(Map.of(ERROR, "The chart could not be drawn: " + reason), 0);
  }

  static ChartReply parse(byte[] text) {
    Map<String, String> texts = new LinkedHashMap<>();
    int points = 0;
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        json.nextToken();
        if (name.equals("points") && json.hasToken(JsonToken.VALUE_NUMBER_INT)) {
          points = json.getIntValue();
        } else if (KNOWN.contains(name) && json.hasToken(JsonToken.VALUE_STRING)) {
          texts.put(name, json.getString());
        } else {
          json.skipChildren();
        }
      }
    } catch (JacksonException e) {
      return failed("the process that draws charts ended");
    }
    return texts.isEmpty()
        ? failed("the process that draws charts ended")
        : new ChartReply(texts, points);
  }

  /** Writes the member {@code chart} or {@code chartError} of a value. */
  public void writeTo(JsonGenerator json) {
    String error = texts.get(ERROR);
    if (error != null) {
      json.writeStringProperty("chartError", error);
      return;
    }
    json.writeObjectPropertyStart("chart");
    for (String name : KNOWN) {
      String value = texts.get(name);
      if (value != null) {
        json.writeStringProperty(name, value);
      }
    }
    json.writeNumberProperty("points", points);
    json.writeEndObject();
  }
}
