package dev.assay.frontend.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import tools.jackson.databind.json.JsonMapper;

/**
 * An answer as one JSON document, which may begin with white space: a line feed for each heartbeat
 * that had to be waited for.
 */
final class JsonReply implements AutoCloseable {
  private static final byte[] LINE_FEED = "\n".getBytes(US_ASCII);

  private final JsonMapper json;
  private final HttpServletResponse response;
  private final LiveOutput out;

  /**
   * Begins the answer.
   *
   * @param status told before the document is known
   * @param heartbeat longest silence
   * @param onDisconnect called at most once, when the client has disconnected
   */
  JsonReply(
      HttpServletResponse response,
      int status,
      JsonMapper json,
      Duration heartbeat,
      Runnable onDisconnect)
      throws IOException {
    this.json = json;
    this.response = response;
    response.setStatus(status);
    response.setContentType("application/json");
    this.out = new LiveOutput(response.getOutputStream(), LINE_FEED, heartbeat, onDisconnect);
  }

  /** Writes the document. */
  void respond(Object document) {
    byte[] bytes = json.writeValueAsBytes(document);
    out.write(() -> response.setContentLength(bytes.length), bytes);
  }

  /**
   * Ends the answer to a cancelled request: 202 without a body, or the document if a heartbeat was
   * already sent, since white space alone is not JSON.
   */
  void respondCancelled(Object document) {
    boolean isEmpty =
        out.endEmptyIfNotBegun(
            () -> {
              response.setStatus(HttpServletResponse.SC_ACCEPTED);
              response.setContentLength(0);
            });
    if (!isEmpty) {
      respond(document);
    }
  }

  @Override
  public void close() {
    out.close();
  }
}
