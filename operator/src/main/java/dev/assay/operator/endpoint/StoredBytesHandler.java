package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import dev.assay.operator.output.OutputStore;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Returns something that is stored, always all of it.
 *
 * @param path of what there is, with the namespace and the name in it as groups
 * @param mediaType of what there is
 * @param lookup finds it
 */
record StoredBytesHandler(Pattern path, String mediaType, Lookup lookup) {
  private static final String NAMESPACE = "/internal/v1/namespaces/([a-z0-9][-a-z0-9]{0,62})";
  static final String RUN = NAMESPACE + "/runs/([a-f0-9][-a-f0-9]{0,62})";

  /** Finds something of a namespace. */
  @FunctionalInterface
  interface Lookup {
    /** Empty if there is none. */
    Optional<byte[]> find(String namespace, String name) throws IOException;
  }

  /** The values of runs. */
  static StoredBytesHandler values(OutputStore outputs) {
    return new StoredBytesHandler(
        Pattern.compile(RUN + "/value"), "application/json", outputs::value);
  }

  /** The definitions of tools, by their digests. */
  static StoredBytesHandler definitions(OutputStore outputs) {
    return new StoredBytesHandler(
        Pattern.compile(NAMESPACE + "/tool-definitions/([0-9a-f]{64})"),
        "application/json",
        outputs::definition);
  }

  /** Returns the HTTP status; if it is 200 the response has been sent. */
  int serve(HttpExchange exchange, Matcher matched) throws IOException {
    if (!"GET".equals(exchange.getRequestMethod())) {
      return 405;
    }
    if (exchange.getRequestURI().getQuery() != null) {
      return 400;
    }
    Optional<byte[]> found = lookup.find(matched.group(1), matched.group(2));
    if (found.isEmpty()) {
      return 404;
    }
    byte[] bytes = found.get();
    exchange.getResponseHeaders().set("Content-Type", mediaType);
    exchange.sendResponseHeaders(200, bytes.length == 0 ? OutputHandler.NO_BODY : bytes.length);
    exchange.getResponseBody().write(bytes);
    return 200;
  }
}
