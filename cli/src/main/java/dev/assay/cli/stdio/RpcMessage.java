package dev.assay.cli.stdio;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A message of JSON-RPC, passed on as it was written. Only what decides where it belongs is looked
 * at: a tree of a whole message can take more than thirty times the memory of its text.
 */
final class RpcMessage {
  /** Reads values inside of a message, so that others follow. */
  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private static final int INVALID_REQUEST = -32600;
  private static final int SERVER_ERROR = -32000;

  private final byte[] line;
  private final @Nullable String method;
  private final JsonNode id;

  private RpcMessage(byte[] line, @Nullable String method, JsonNode id) {
    this.line = line;
    this.method = method;
    this.id = id;
  }

  /**
   * The message in a text; empty if there is none.
   *
   * @param text which is made one line, and is the message's from then on
   */
  static Optional<RpcMessage> read(byte[] text) {
    // Inside of a string JSON has line feeds as escapes only.
    for (int at = 0; at < text.length; at++) {
      if (text[at] == '\n' || text[at] == '\r') {
        text[at] = ' ';
      }
    }
    try (JsonParser parser = JSON.createParser(reader(text))) {
      return read(text, parser);
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  private static Optional<RpcMessage> read(byte[] line, JsonParser parser) {
    String method = null;
    JsonNode id = MissingNode.getInstance();
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      return Optional.empty();
    }
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      if (name.equals("method")) {
        method = value == JsonToken.VALUE_STRING ? parser.getString() : "";
      } else if (name.equals("id")) {
        if (!value.isScalarValue()) {
          return Optional.empty();
        }
        id = JSON.readTree(parser);
      }
      // Without an effect on scalar values.
      parser.skipChildren();
    }
    return parser.nextToken() == null
        ? Optional.of(new RpcMessage(line, method, id))
        : Optional.empty();
  }

  /** Decodes piece by piece, and always as UTF-8. */
  private static Reader reader(byte[] text) {
    return new InputStreamReader(new ByteArrayInputStream(text), UTF_8);
  }

  /** What a request is replied to with, whose program cannot reply. */
  static byte[] error(JsonNode id, String message) {
    ObjectNode reply = JSON.createObjectNode().put("jsonrpc", "2.0");
    reply.set("id", id);
    reply.putObject("error").put("code", SERVER_ERROR).put("message", message);
    return JSON.writeValueAsBytes(reply);
  }

  /** The body of a refusal, without an id as the specification of the transport has it. */
  static byte[] refusal(String message) {
    ObjectNode reply = JSON.createObjectNode().put("jsonrpc", "2.0");
    reply.putObject("error").put("code", INVALID_REQUEST).put("message", message);
    return JSON.writeValueAsBytes(reply);
  }

  /** Its text, in one line. Not to be changed. */
  byte[] line() {
    return line;
  }

  boolean isRequest() {
    return method != null && hasId();
  }

  boolean isResponse() {
    return method == null && hasId();
  }

  private boolean hasId() {
    return !id.isMissingNode() && !id.isNull();
  }

  boolean isInitialize() {
    return isRequest() && "initialize".equals(method);
  }

  JsonNode id() {
    return id;
  }

  JsonNode params() {
    return JSON.readTree(reader(line)).path("params");
  }

  /** The id of the request that is not awaited any more, if the message says so. */
  Optional<JsonNode> cancelledId() {
    return "notifications/cancelled".equals(method)
        ? Optional.of(params().path("requestId"))
        : Optional.empty();
  }

  /** The same as the reply to another request. */
  RpcMessage as(JsonNode otherId) {
    if (otherId.equals(id)) {
      return this;
    }
    ObjectNode reply = (ObjectNode) JSON.readTree(reader(line));
    reply.set("id", otherId);
    return new RpcMessage(JSON.writeValueAsBytes(reply), method, otherId);
  }
}
