package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import dev.assay.operator.output.OutputManifest;
import dev.assay.operator.output.OutputStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Returns stored output from an offset. */
final class OutputHandler {
  static final Pattern PATH =
      Pattern.compile(
          "/internal/v1/namespaces/([a-z0-9][-a-z0-9]{0,62})/runs/([a-f0-9][-a-f0-9]{0,62})/output");

  private static final Pattern OFFSET = Pattern.compile("offset=([0-9]{1,12})");

  /** Of {@link HttpExchange#sendResponseHeaders}. */
  static final long CHUNKED = 0;

  static final long NO_BODY = -1;

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
    OptionalLong asked = offset(exchange);
    if (asked.isEmpty()) {
      return 400;
    }
    long offset = asked.getAsLong();
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

  /** The offset that a request names, 0 if it names none; empty if it is malformed. */
  static OptionalLong offset(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    if (query == null) {
      return OptionalLong.of(0);
    }
    Matcher parameter = OFFSET.matcher(query);
    return parameter.matches()
        ? OptionalLong.of(Long.parseLong(parameter.group(1)))
        : OptionalLong.empty();
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
