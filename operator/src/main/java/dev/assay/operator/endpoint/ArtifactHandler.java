package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.output.StoredArtifact;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Returns a stored artifact, or a part of it. */
final class ArtifactHandler {
  static final Pattern PATH =
      Pattern.compile(
          "/internal/v1/namespaces/([a-z0-9][-a-z0-9]{0,62})/runs/([a-f0-9][-a-f0-9]{0,62})"
              + "/artifacts/([1-9][0-9]{0,3})");

  private static final Pattern RANGE =
      Pattern.compile("(?:offset=([0-9]{1,12}))?(?:(?:^|(?<=[0-9])&)length=([0-9]{1,12}))?");

  private final OutputStore outputs;

  ArtifactHandler(OutputStore outputs) {
    this.outputs = outputs;
  }

  /** Returns the HTTP status; if it is 200 the response has been sent. */
  int serve(HttpExchange exchange, Matcher path) throws IOException {
    if (!"GET".equals(exchange.getRequestMethod())) {
      return 405;
    }
    Optional<Range> range = range(exchange.getRequestURI().getQuery());
    if (range.isEmpty()) {
      return 400;
    }
    long offset = range.get().offset();
    Optional<StoredArtifact> artifact =
        outputs.artifact(
            path.group(1),
            path.group(2),
            Integer.parseInt(path.group(3)),
            offset,
            range.get().maxBytes());
    if (artifact.isEmpty()) {
      return 404;
    }
    try (InputStream content = artifact.get().content()) {
      long length = Math.min(artifact.get().length() - offset, range.get().maxBytes());
      exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
      exchange.sendResponseHeaders(200, length > 0 ? length : OutputHandler.NO_BODY);
      if (length > 0) {
        content.transferTo(exchange.getResponseBody());
      }
    }
    return 200;
  }

  /** Which part of an artifact is wanted; past its end there is nothing. */
  private record Range(long offset, long maxBytes) {}

  /** Empty for a malformed query. */
  private static Optional<Range> range(@Nullable String query) {
    Matcher range = RANGE.matcher(query == null ? "" : query);
    return range.matches()
        ? Optional.of(new Range(number(range.group(1), 0), number(range.group(2), Long.MAX_VALUE)))
        : Optional.empty();
  }

  private static long number(@Nullable String digits, long otherwise) {
    return digits == null ? otherwise : Long.parseLong(digits);
  }
}
