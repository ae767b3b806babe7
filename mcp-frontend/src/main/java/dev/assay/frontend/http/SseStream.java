package dev.assay.frontend.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.frontend.call.Progress;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * An answer as server-sent events: progress, then the response, with a comment for each heartbeat
 * in between.
 */
final class SseStream implements Progress, AutoCloseable {
  private static final byte[] BEGIN = "event: message\ndata: ".getBytes(UTF_8);
  private static final byte[] END = "\n\n".getBytes(UTF_8);
  private static final byte[] COMMENT = ": waiting\n\n".getBytes(UTF_8);

  private final JsonMapper json;
  private final LiveOutput out;
  private final @Nullable Object progressToken;
  private final ReentrantLock lock = new ReentrantLock();
  private final long start = System.nanoTime();
  private double progress = -1;

  /**
   * Begins the answer.
   *
   * @param progressToken what the client knows its call by; without it progress is not told
   * @param heartbeat longest silence
   * @param onDisconnect told, at most once, when nobody reads any more
   */
  SseStream(
      HttpServletResponse response,
      JsonMapper json,
      @Nullable Object progressToken,
      Duration heartbeat,
      Runnable onDisconnect)
      throws IOException {
    this.json = json;
    this.progressToken = progressToken;
    response.setStatus(HttpServletResponse.SC_OK);
    response.setContentType("text/event-stream");
    response.setHeader("Cache-Control", "no-cache, no-transform");
    response.setHeader("X-Accel-Buffering", "no");
    response.flushBuffer();
    this.out = new LiveOutput(response.getOutputStream(), COMMENT, heartbeat, onDisconnect);
  }

  @Override
  public void report(String message) {
    if (progressToken == null) {
      return;
    }
    lock.lock();
    try {
      double elapsed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) / 1000.0;
      progress = elapsed > progress ? elapsed : progress + 0.001;
      Map<String, Object> params = new LinkedHashMap<>();
      params.put("progressToken", progressToken);
      params.put("progress", progress);
      params.put("message", message);
      Map<String, Object> notification = new LinkedHashMap<>();
      notification.put("jsonrpc", "2.0");
      notification.put("method", "notifications/progress");
      notification.put("params", params);
      event(notification);
    } finally {
      lock.unlock();
    }
  }

  /** Writes the response, the last event. */
  void respond(Object response) {
    event(response);
  }

  private void event(Object message) {
    out.write(BEGIN, json.writeValueAsBytes(message), END);
  }

  @Override
  public void close() {
    out.close();
  }
}
