package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.tool.CallRecords;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Returns the records of the calls of tools that a run has made. */
final class CallsHandler {
  static final Pattern PATH =
      Pattern.compile(
          "/internal/v1/namespaces/([a-z0-9][-a-z0-9]{0,62})/runs/([a-f0-9][-a-f0-9]{0,62})/calls");

  private final OutputStore outputs;

  CallsHandler(OutputStore outputs) {
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
    byte[] log = outputs.calls(path.group(1), path.group(2), 0);
    if (log.length == 0) {
      return 404;
    }
    byte[] records = CallRecords.ndjson(log);
    exchange.getResponseHeaders().set("Content-Type", "application/x-ndjson");
    exchange.sendResponseHeaders(200, records.length == 0 ? -1 : records.length);
    exchange.getResponseBody().write(records);
    return 200;
  }
}
