package dev.assay.jvm.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.jvm.job.JobFailure;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Base64;
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

  /**
   * A tool that is called.
   *
   * @param call its number
   * @param batch the calls that are made together; null if it is made alone
   */
  static byte[] toolCall(long call, ToolCalls.@Nullable Batch batch, ToolRequest request) {
    return message(
        "tool_call",
        json -> {
          json.writeNumberProperty("call", call);
          if (batch == null) {
            json.writeNullProperty("batch");
          } else {
            json.writeObjectPropertyStart("batch");
            json.writeNumberProperty("first", batch.first());
            json.writeNumberProperty("size", batch.size());
            json.writeNumberProperty("maxParallel", batch.maxParallel());
            json.writeEndObject();
          }
          json.writeStringProperty("server", request.server());
          json.writeStringProperty("tool", request.tool());
          json.writeStringProperty(
              "args", Base64.getEncoder().encodeToString(request.args().getBytes(UTF_8)));
        });
  }

  /** A piece of the result of a call. */
  static final class ResultPiece {
    private final long call;
    private final byte[] data;
    private final boolean more;

    private ResultPiece(long call, byte[] data, boolean more) {
      this.call = call;
      this.data = data;
      this.more = more;
    }

    /** The number of the call. */
    long call() {
      return call;
    }

    byte[] data() {
      return data;
    }

    /** Whether another piece of the same result follows. */
    boolean more() {
      return more;
    }
  }

  /** Takes a {@code tool_result} apart. */
  static ResultPiece resultPiece(byte[] body) throws IOException {
    String type = "";
    long call = 0;
    byte[] data = {};
    boolean more = false;
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), body)) {
      expect(json, JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        json.nextToken();
        switch (name) {
          case "type" -> type = text(json);
          case "call" -> {
            expectCurrent(json, JsonToken.VALUE_NUMBER_INT);
            call = json.getLongValue();
          }
          case "data" -> {
            expectCurrent(json, JsonToken.VALUE_STRING);
            data = json.getBinaryValue();
          }
          case "more" -> more = json.hasToken(JsonToken.VALUE_TRUE);
          default -> json.skipChildren();
        }
      }
    } catch (JacksonException e) {
      throw new IOException("a message is not JSON", e);
    }
    if (!type.equals("tool_result")) {
      throw new IOException("expected the result of a call");
    }
    return new ResultPiece(call, data, more);
  }

  static byte[] ended(int code) {
    return message("ended", json -> json.writeNumberProperty("code", code));
  }

  private static void write(JsonGenerator json, JobFailure failure) {
    json.writeStartObject();
    json.writeStringProperty("type", failure.type());
    json.writeStringProperty("message", failure.message());
    json.writeStringProperty("code", failure.code().name());
    JobFailure.Place place = failure.place();
    if (place != null) {
      json.writeNumberProperty("line", place.line());
      json.writeNumberProperty("column", place.column());
    }
    String traceback = failure.traceback();
    if (traceback != null) {
      json.writeStringProperty("traceback", traceback);
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
