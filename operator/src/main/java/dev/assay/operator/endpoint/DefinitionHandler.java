package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import dev.assay.operator.output.OutputStore;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Returns the definition of a tool by its digest. */
final class DefinitionHandler {
  static final Pattern PATH =
      Pattern.compile(
          "/internal/v1/namespaces/([a-z0-9][-a-z0-9]{0,62})/tool-definitions/([0-9a-f]{64})");

  private final OutputStore outputs;

  DefinitionHandler(OutputStore outputs) {
    this.outputs = outputs;
  }

  /** Returns the HTTP status; if it is 200 the response has been sent. */
  int serve(HttpExchange exchange, Matcher path) throws IOException {
    if (!"GET".equals(exchange.getRequestMethod())) {
      return 405;
    }
    if (exchange.getRequestURI().getQuery() != null) {
      return 400;
    }
    Optional<byte[]> definition = outputs.definition(path.group(1), path.group(2));
    if (definition.isEmpty()) {
      return 404;
    }
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, definition.get().length);
    exchange.getResponseBody().write(definition.get());
    return 200;
  }
}
