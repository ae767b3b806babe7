package dev.assay.frontend.http;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import tools.jackson.databind.json.JsonMapper;

/** Every other path. */
final class NotFoundServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;

  private final transient Answers answers;

  NotFoundServlet(JsonMapper json) {
    this.answers = new Answers(json);
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    answers.refuse(response, 404, "Not found: the endpoints are /mcp and /api/v1");
  }
}
