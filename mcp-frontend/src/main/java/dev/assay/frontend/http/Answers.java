package dev.assay.frontend.http;

import dev.assay.frontend.mcp.RpcError;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Writes whole answers. */
final class Answers {
  private final JsonMapper json;

  Answers(JsonMapper json) {
    this.json = json;
  }

  /** An error that belongs to no request, or to one that could be read. */
  void error(HttpServletResponse response, int status, @Nullable Object id, RpcError error)
      throws IOException {
    json(response, status, error.answerTo(id));
  }

  /** A refusal before the body was read: its rest is not waited for. */
  void refuse(HttpServletResponse response, int status, String message) throws IOException {
    response.setHeader("Connection", "close");
    error(response, status, null, new RpcError(RpcError.SERVER, message));
  }

  void json(HttpServletResponse response, int status, Object value) throws IOException {
    json(response, status, json.writeValueAsBytes(value));
  }

  /** Writes a document that is finished as it is. */
  void json(HttpServletResponse response, int status, byte[] bytes) throws IOException {
    response.setStatus(status);
    response.setContentType("application/json");
    response.setContentLength(bytes.length);
    response.getOutputStream().write(bytes);
  }
}
