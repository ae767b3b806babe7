package dev.assay.frontend.mcp;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON-RPC error. Its message is written here or bounded here: no failure's own words get out.
 *
 * @param code JSON-RPC's, MCP's, or -32000 for the endpoint's own
 * @param message for whoever wrote the client
 */
public record RpcError(int code, String message) {
  public static final int PARSE = -32700;
  public static final int INVALID_REQUEST = -32600;
  public static final int METHOD_NOT_FOUND = -32601;
  public static final int INVALID_PARAMS = -32602;
  public static final int INTERNAL = -32603;
  public static final int SERVER = -32000;
  public static final int RESOURCE_NOT_FOUND = -32002;

  /** The answer to the request of an id; without one where it is not known, as MCP has it. */
  public Map<String, Object> answerTo(@Nullable Object id) {
    Map<String, Object> error = new LinkedHashMap<>();
    error.put("code", code);
    error.put("message", message);
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("jsonrpc", "2.0");
    if (id != null) {
      answer.put("id", id);
    }
    answer.put("error", error);
    return answer;
  }
}
