package dev.assay.jvm.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.jvm.job.Job;
import dev.assay.jvm.job.Job.DatasetName;
import dev.assay.jvm.job.JobFailure;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** The messages of the control socket as JSON. */
final class Messages {
  private static final JsonFactory JSON = new JsonFactory();

  private Messages() {}

  static byte[] ready(long importsMs, long datasetMs) {
    return message(
        "ready",
        json -> {
          json.writeNumberProperty("importsMs", importsMs);
          json.writeNumberProperty("datasetMs", datasetMs);
        });
  }

  static byte[] plain(String type) {
    return message(type, json -> {});
  }

  static byte[] result(@Nullable JobFailure failure, @Nullable String value) {
    return message(
        "result",
        json -> {
          if (failure == null) {
            json.writeNullProperty("error");
          } else {
            json.writeName("error");
            write(json, failure);
          }
          if (value == null) {
            json.writeNullProperty("valueJson");
          } else {
            json.writeStringProperty(
                "valueJson", Base64.getEncoder().encodeToString(value.getBytes(UTF_8)));
          }
        });
  }

  private static void write(JsonGenerator json, JobFailure failure) {
    json.writeStartObject();
    json.writeStringProperty("type", failure.type());
    json.writeStringProperty("message", failure.message());
    json.writeStringProperty("code", failure.code().name());
    JobFailure.Place place = failure.place();
    if (place != null) {
      json.writeNumberProperty("line", place.line());
      json.writeStringProperty("traceback", place.inQuery());
    }
    json.writeEndObject();
  }

  private static byte[] message(String type, Consumer<JsonGenerator> members) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("type", type);
      members.accept(json);
      json.writeEndObject();
    }
    // A lone surrogate becomes a question mark.
    return text.toString().getBytes(UTF_8);
  }

  /** The type of a message. */
  static String type(byte[] body) throws IOException {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), body)) {
      expect(json, JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        json.nextToken();
        if (name.equals("type")) {
          return text(json);
        }
        json.skipChildren();
      }
      return "";
    } catch (JacksonException e) {
      throw new IOException("a message is not JSON", e);
    }
  }

  /** The job in a message. */
  static Job job(byte[] body) throws IOException {
    String kind = "";
    String code = "";
    String name = "";
    String input = null;
    List<DatasetName> datasets = List.of();
    int rows = Job.DEFAULT_ROWS;
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), body)) {
      expect(json, JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String member = json.currentName();
        json.nextToken();
        if (json.hasToken(JsonToken.VALUE_NULL)) {
          continue;
        }
        switch (member) {
          case "kind" -> kind = text(json);
          case "code" -> code = text(json);
          case "name" -> name = text(json);
          case "input" -> input = text(json);
          case "datasets" -> datasets = datasets(json);
          case "reply" -> rows = rows(json);
          default -> json.skipChildren();
        }
      }
    } catch (JacksonException e) {
      throw new IOException("the job is not JSON", e);
    }
    return new Job(kind, code, name, input, datasets, rows);
  }

  private static List<DatasetName> datasets(JsonParser json) throws IOException {
    expectCurrent(json, JsonToken.START_ARRAY);
    List<DatasetName> datasets = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.hasToken(JsonToken.VALUE_STRING)) {
        datasets.add(new DatasetName(json.getString(), json.getString()));
      } else {
        datasets.add(dataset(json));
      }
    }
    return datasets;
  }

  private static DatasetName dataset(JsonParser json) throws IOException {
    expectCurrent(json, JsonToken.START_OBJECT);
    String name = "";
    String displayName = "";
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String member = json.currentName();
      json.nextToken();
      if (json.hasToken(JsonToken.VALUE_STRING) && member.equals("name")) {
        name = json.getString();
      } else if (json.hasToken(JsonToken.VALUE_STRING) && member.equals("displayName")) {
        displayName = json.getString();
      } else {
        json.skipChildren();
      }
    }
    return new DatasetName(name, displayName.isEmpty() ? name : displayName);
  }

  private static int rows(JsonParser json) throws IOException {
    expectCurrent(json, JsonToken.START_OBJECT);
    int rows = Job.DEFAULT_ROWS;
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      boolean isRows = json.currentName().equals("rows");
      json.nextToken();
      if (isRows && json.hasToken(JsonToken.VALUE_NUMBER_INT)) {
        rows = json.getIntValue();
      } else {
        json.skipChildren();
      }
    }
    return rows;
  }

  private static String text(JsonParser json) throws IOException {
    expectCurrent(json, JsonToken.VALUE_STRING);
    return json.getString();
  }

  private static void expect(JsonParser json, JsonToken token) throws IOException {
    json.nextToken();
    expectCurrent(json, token);
  }

  private static void expectCurrent(JsonParser json, JsonToken token) throws IOException {
    if (!json.hasToken(token)) {
      throw new IOException("a message is malformed");
    }
  }
}
