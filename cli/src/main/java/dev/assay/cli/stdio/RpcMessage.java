package dev.assay.cli.stdio;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A message of JSON-RPC, passed on as it was written. Only what decides where it belongs is looked
 * at. Pure.
 *
 * @param line its text, in one line
 * @param json its content
 */
record RpcMessage(String line, ObjectNode json) {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int SERVER_ERROR = -32000;

  /** The message in a text; empty if there is none. */
  static Optional<RpcMessage> read(byte[] text) {
    // Inside of a string JSON has line feeds as escapes only.
    String line =
        new String(text, StandardCharsets.UTF_8).replace('\n', ' ').replace('\r', ' ').strip();
    try {
      return JSON.readTree(line) instanceof ObjectNode json
          ? Optional.of(new RpcMessage(line, json))
          : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  /** What a request is replied to with, whose program cannot reply. */
  static String error(JsonNode id, String message) {
    ObjectNode reply = JSON.createObjectNode().put("jsonrpc", "2.0");
    reply.set("id", id);
    reply.putObject("error").put("code", SERVER_ERROR).put("message", message);
    return JSON.writeValueAsString(reply);
  }

  boolean isRequest() {
    return json.has("method") && json.hasNonNull("id");
  }

  boolean isResponse() {
    return !json.has("method") && json.hasNonNull("id");
  }

  boolean isInitialize() {
    return isRequest() && "initialize".equals(json.path("method").asString(""));
  }

  JsonNode id() {
    return json.path("id");
  }

  JsonNode params() {
    return json.path("params");
  }

  /** The id of the request that is not awaited any more, if the message says so. */
  Optional<JsonNode> cancelledId() {
    return "notifications/cancelled".equals(json.path("method").asString(""))
        ? Optional.of(params().path("requestId"))
        : Optional.empty();
  }

  /** The same as the reply to another request. */
  String lineFor(JsonNode otherId) {
    if (otherId.equals(id())) {
      return line;
    }
    ObjectNode reply = json.deepCopy();
    reply.set("id", otherId);
    return JSON.writeValueAsString(reply);
  }
}
