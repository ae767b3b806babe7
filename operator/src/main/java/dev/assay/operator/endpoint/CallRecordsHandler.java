package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpExchange;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.tool.CallRecords;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Returns the records of the calls of tools that a run has made. */
final class CallRecordsHandler {
  static final Pattern PATH = Pattern.compile(StoredBytesHandler.RUN + "/calls");

  /** Callers of the front end decide how many ask, and the longest logs take seconds to parse. */
  private static final int AT_ONCE = 2;

  /** Below the time that the front end waits. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** The last line where the log cannot be read to its end: it is no JSON. */
  private static final byte[] INCOMPLETE = {'!'};

  private final OutputStore outputs;
  private final Duration patience;
  private final Semaphore permits = new Semaphore(AT_ONCE, /* fair= */ true);

  CallRecordsHandler(OutputStore outputs) {
    this(outputs, PATIENCE);
  }

  /**
   * A handler.
   *
   * @param patience how long those wait that are too many
   */
  CallRecordsHandler(OutputStore outputs, Duration patience) {
    this.outputs = outputs;
    this.patience = patience;
  }

  /** Returns the HTTP status; if it is 200 the response has been sent. */
  int serve(HttpExchange exchange, Matcher path) throws IOException {
    if (!"GET".equals(exchange.getRequestMethod())) {
      return 405;
    }
    if (exchange.getRequestURI().getQuery() != null) {
      return 400;
    }
    if (!acquire()) {
      return 503;
    }
    try (InputStream log = outputs.calls(path.group(1), path.group(2), 0)) {
      return send(log, new Response(exchange));
    } finally {
      permits.release();
    }
  }

  private boolean acquire() {
    try {
      return permits.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static int send(InputStream log, Response response) throws IOException {
    try {
      CallRecords.read(log, response::line);
    } catch (IOException e) {
      if (!response.hasBegun()) {
        throw e;
      }
      boolean unused = response.line(INCOMPLETE);
    }
    return response.hasBegun() ? 200 : 404;
  }

  /** Begins with the first line. */
  private static final class Response {
    private final HttpExchange exchange;
    private @Nullable OutputStream body;

    Response(HttpExchange exchange) {
      this.exchange = exchange;
    }

    boolean hasBegun() {
      return body != null;
    }

    boolean line(byte[] json) throws IOException {
      if (body == null) {
        exchange.getResponseHeaders().set("Content-Type", "application/x-ndjson");
        exchange.sendResponseHeaders(200, OutputHandler.CHUNKED);
        body = exchange.getResponseBody();
      }
      body.write(json);
      body.write('\n');
      return true;
    }
  }
}
