package dev.assay.frontend.mcp;

import java.math.BigInteger;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Reads what a client sent. */
public final class MessageReader {
  private static final int MAX_METHOD = 128;
  private static final int MAX_ID = 256;

  /** Of a number that is refused as an id, and still names the request in the refusal. */
  private static final int MAX_ECHOED_BITS = 128;

  private final JsonMapper json;

  public MessageReader(JsonMapper json) {
    this.json = json;
  }

  /** Reads a body, whatever it is. */
  public Message read(byte[] body) {
    return switch (JsonBody.read(body, json)) {
      case JsonBody.Members members -> message(members.values(), members.heapBytes());
      case JsonBody.NoObject other ->
          malformed(
              null,
              RpcError.INVALID_REQUEST,
              "The body must be one JSON object; batches are not supported");
      case JsonBody.Unreadable unreadable -> malformed(null, RpcError.PARSE, unreadable.why());
    };
  }

  private static Message message(Map<String, Object> members, long heapBytes) {
    Object id = members.get("id");
    boolean usableId =
        (id instanceof String text && text.length() <= MAX_ID)
            || id instanceof Integer
            || id instanceof Long
            || (id instanceof BigInteger number && number.bitLength() <= MAX_ECHOED_BITS);
    Object knownId = usableId ? id : null;
    if (!"2.0".equals(members.get("jsonrpc"))) {
      return malformed(knownId, RpcError.INVALID_REQUEST, "'jsonrpc' must be \"2.0\"");
    }
    Object method = members.get("method");
    if (method == null && (members.containsKey("result") || members.containsKey("error"))) {
      return new Message.Response();
    }
    if (!(method instanceof String name) || name.isEmpty() || name.length() > MAX_METHOD) {
      return malformed(
          knownId,
          RpcError.INVALID_REQUEST,
          "'method' must be a text of 1 to " + MAX_METHOD + " characters");
    }
    Object params = members.getOrDefault("params", Map.of());
    if (params != null && !(params instanceof Map<?, ?>)) {
      return malformed(knownId, RpcError.INVALID_PARAMS, "'params' must be an object");
    }
    Map<String, Object> named = params == null ? Map.of() : members(params);
    if (!members.containsKey("id")) {
      return new Message.Notification(name, named);
    }
    if (knownId == null || knownId instanceof BigInteger) {
      return malformed(
          knownId,
          RpcError.INVALID_REQUEST,
          "'id' must be a whole number of at most 64 bits or a text of at most "
              + MAX_ID
              + " characters");
    }
    return new Message.Request(knownId, name, named, heapBytes);
  }

  @SuppressWarnings("unchecked") // Members of JSON objects have names.
  private static Map<String, Object> members(Object value) {
    return (Map<String, Object>) value;
  }

  private static Message malformed(@Nullable Object id, int code, String message) {
    return new Message.Malformed(id, new RpcError(code, message));
  }
}
