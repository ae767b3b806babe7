package dev.assay.cli.client;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A JSON-RPC message of an MCP client, and the replies that the bridge itself gives.
 *
 * @param json as the client sent it
 */
record ClientMessage(JsonNode json) {
  static final int PARSE_ERROR = -32700;
  static final int INTERNAL_ERROR = -32603;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  boolean isCall(String method) {
    return method.equals(json.path("method").asString(""));
  }

  /** Whether the client expects a reply; true of a batch, too. */
  boolean isRequest() {
    return json.isArray() || (json.has("method") && json.has("id"));
  }

  /**
   * The ids of its requests, of which only a batch has several; {@code initialize} cannot be
   * cancelled.
   */
  List<JsonNode> cancellableIds() {
    if (json.isArray()) {
      return json.valueStream()
          .flatMap(one -> new ClientMessage(one).cancellableIds().stream())
          .toList();
    }
    return isRequest() && !isCall("initialize") ? List.of(json.path("id")) : List.of();
  }

  /** The id of the request that this cancels; empty if it cancels none. */
  Optional<JsonNode> cancelledId() {
    return Optional.ofNullable(json.path("params").get("requestId"))
        .filter(id -> isCall("notifications/cancelled"));
  }

  /** Whether a message is the reply to this one. */
  boolean isAnsweredBy(JsonNode message) {
    return !message.has("method") && message.path("id").equals(json.path("id"));
  }

  ObjectNode error(int code, String message) {
    return error(JSON.createObjectNode().put("code", code).put("message", message));
  }

  ObjectNode error(ObjectNode error) {
    return reply(json.get("id"), "error", error);
  }

  /** The result of a tool that could not be called. */
  ObjectNode toolError(String message) {
    ObjectNode result = JSON.createObjectNode().put("isError", true);
    result.putArray("content").addObject().put("type", "text").put("text", message);
    return reply(json.get("id"), "result", result);
  }

  /** The reply to malformed JSON. */
  static ObjectNode unreadable() {
    return new ClientMessage(JSON.createObjectNode()).error(PARSE_ERROR, "malformed JSON");
  }

  /** The notification that cancels a request. */
  static ObjectNode cancellation(JsonNode id) {
    ObjectNode message =
        JSON.createObjectNode().put("jsonrpc", "2.0").put("method", "notifications/cancelled");
    message.putObject("params").put("reason", "the client is gone").set("requestId", id);
    return message;
  }

  private static ObjectNode reply(@Nullable JsonNode id, String member, ObjectNode value) {
    ObjectNode reply = JSON.createObjectNode().put("jsonrpc", "2.0");
    reply.set("id", id == null ? JSON.nullNode() : id);
    reply.set(member, value);
    return reply;
  }
}
