package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import dev.assay.operator.output.OutputManifest;
import dev.assay.operator.output.OutputStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Returns stored output from an offset. */
final class OutputHandler {
  static final Pattern PATH =
      Pattern.compile(
          "/internal/v1/namespaces/([a-z0-9][-a-z0-9]{0,62})/runs/([a-f0-9][-a-f0-9]{0,62})/output");

  private static final Pattern OFFSET = Pattern.compile("offset=([0-9]{1,12})");

  /** Of {@link HttpExchange#sendResponseHeaders}. */
  private static final long CHUNKED = 0;

  private static final long NO_BODY = -1;

  private static final int CHUNK_BYTES = 16 * 1024;

  private final OutputStore outputs;

  OutputHandler(OutputStore outputs) {
    this.outputs = outputs;
  }

  /** Returns the HTTP status; if it is 200 the response has been sent. */
  int serve(HttpExchange exchange, Matcher path) throws IOException {
    if (!"GET".equals(exchange.getRequestMethod())) {
      return 405;
    }
    long offset = 0;
    String query = exchange.getRequestURI().getQuery();
    if (query != null) {
      Matcher parameter = OFFSET.matcher(query);
      if (!parameter.matches()) {
        return 400;
      }
      offset = Long.parseLong(parameter.group(1));
    }
    String namespace = path.group(1);
    String runUid = path.group(2);
    // First: once there is a manifest, there will be no more output.
    Optional<OutputManifest> manifest = outputs.manifest(namespace, runUid);
    Optional<InputStream> output = outputs.read(namespace, runUid, offset);
    if (output.isEmpty()) {
      return 404;
    }
    try (InputStream bytes = output.get()) {
      exchange.getResponseHeaders().set("Content-Type", "application/octet-stream");
      if (manifest.isEmpty()) {
        exchange.sendResponseHeaders(200, CHUNKED);
        bytes.transferTo(exchange.getResponseBody());
      } else {
        long length = manifest.get().length() - offset;
        exchange.sendResponseHeaders(200, length > 0 ? length : NO_BODY);
        transfer(bytes, exchange.getResponseBody(), length);
      }
    }
    return 200;
  }

  /**
   * An earlier leader that does not know yet that it was replaced may have stored more than the
   * manifest says; the response must not.
   */
  private static void transfer(InputStream from, OutputStream to, long length) throws IOException {
    byte[] chunk = new byte[CHUNK_BYTES];
    long left = length;
    while (left > 0) {
      int count = from.read(chunk, 0, (int) Math.min(chunk.length, left));
      if (count < 0) {
        return;
      }
      to.write(chunk, 0, count);
      left -= count;
    }
  }
}
