package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.output.StoredArtifact;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Returns a stored artifact from an offset. */
final class ArtifactHandler {
  static final Pattern PATH =
      Pattern.compile(
          "/internal/v1/namespaces/([a-z0-9][-a-z0-9]{0,62})/runs/([a-f0-9][-a-f0-9]{0,62})"
              + "/artifacts/([1-9][0-9]{0,3})");

  private final OutputStore outputs;

  ArtifactHandler(OutputStore outputs) {
    this.outputs = outputs;
  }

  /** Returns the HTTP status; if it is 200 the response has been sent. */
  int serve(HttpExchange exchange, Matcher path) throws IOException {
    if (!"GET".equals(exchange.getRequestMethod())) {
      return 405;
    }
    OptionalLong offset = OutputHandler.offset(exchange);
    if (offset.isEmpty()) {
      return 400;
    }
    Optional<StoredArtifact> artifact =
        outputs.artifact(
            path.group(1), path.group(2), Integer.parseInt(path.group(3)), offset.getAsLong());
    if (artifact.isEmpty()) {
      return 404;
    }
    try (InputStream content = artifact.get().content()) {
      long length = artifact.get().length() - offset.getAsLong();
      exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
      exchange.sendResponseHeaders(200, length > 0 ? length : OutputHandler.NO_BODY);
      if (length > 0) {
        content.transferTo(exchange.getResponseBody());
      }
    }
    return 200;
  }
}
