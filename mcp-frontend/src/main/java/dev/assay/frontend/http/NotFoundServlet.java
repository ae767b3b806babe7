package dev.assay.frontend.http;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Every other path. */
final class NotFoundServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;

  /**
   * Where clients that were refused look for a login, and show what they read there: as an error of
   * OAuth (RFC 6749, section 5.2), whose description is all that some of them show.
   */
  private static final Map<String, String> NO_OAUTH =
      Map.of(
          "error",
          "invalid_request",
          "error_description",
          "No OAuth here: the API key is missing or wrong. Send Authorization: Bearer KEY");

  private final transient Answers answers;

  NotFoundServlet(JsonMapper json) {
    this.answers = new Answers(json);
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String path = request.getServletPath();
    if (path.startsWith("/.well-known/o") || path.equals("/register")) {
      response.setHeader("Connection", "close");
      answers.json(response, 404, NO_OAUTH);
      return;
    }
    answers.refuse(response, 404, "Not found: the endpoints are /mcp and /api/v1");
  }
}
