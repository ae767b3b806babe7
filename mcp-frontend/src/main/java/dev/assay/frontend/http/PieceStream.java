package dev.assay.frontend.http;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bytes as they come, each piece sent at once. A client that reads nothing is disconnected after
 * the connection's idle time.
 */
final class PieceStream {
  private static final Logger log = LoggerFactory.getLogger(PieceStream.class);

  private final ServletOutputStream out;

  /** The body of an answer whose head is set. */
  PieceStream(ServletOutputStream out) {
    this.out = out;
  }

  /** Output of a run. Begins the answer, so that a client knows that more will come. */
  static PieceStream ofOutput(HttpServletResponse response) throws IOException {
    response.setStatus(HttpServletResponse.SC_OK);
    response.setContentType("text/plain");
    response.setCharacterEncoding("utf-8");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("X-Accel-Buffering", "no");
    response.flushBuffer();
    return new PieceStream(response.getOutputStream());
  }

  /** Sends a piece; false where the client has disconnected. */
  boolean write(byte[] piece) {
    try {
      out.write(piece);
      out.flush();
      return true;
    } catch (IOException e) {
      log.debug("the client has disconnected: {}", e.getMessage());
      return false;
    }
  }
}
