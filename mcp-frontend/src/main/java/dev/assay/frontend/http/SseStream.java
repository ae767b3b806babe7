package dev.assay.frontend.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.frontend.call.Progress;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * An answer as server-sent events: progress, then the response. While nothing else is written a
 * comment is, so that proxies keep the connection, and so that a client that is gone is noticed.
 */
final class SseStream implements Progress, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SseStream.class);
  private static final byte[] COMMENT = ": waiting\n\n".getBytes(UTF_8);

  private final JsonMapper json;
  private final ServletOutputStream out;
  private final @Nullable Object progressToken;
  private final Runnable onDisconnect;
  private final Duration heartbeat;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition finished = lock.newCondition();
  private final long start = System.nanoTime();
  private double progress = -1;
  private long lastWrite = start;
  private boolean closed;
  private boolean broken;

  private SseStream(
      JsonMapper json,
      ServletOutputStream out,
      @Nullable Object progressToken,
      Duration heartbeat,
      Runnable onDisconnect) {
    this.json = json;
    this.out = out;
    this.progressToken = progressToken;
    this.heartbeat = heartbeat;
    this.onDisconnect = onDisconnect;
  }

  /**
   * Begins the answer.
   *
   * @param progressToken what the client knows its call by; without it progress is not told
   * @param heartbeat longest silence
   * @param onDisconnect told, at most once, when nobody reads any more
   */
  static SseStream open(
      HttpServletResponse response,
      JsonMapper json,
      @Nullable Object progressToken,
      Duration heartbeat,
      Runnable onDisconnect)
      throws IOException {
    response.setStatus(HttpServletResponse.SC_OK);
    response.setContentType("text/event-stream");
    response.setHeader("Cache-Control", "no-cache, no-transform");
    response.setHeader("X-Accel-Buffering", "no");
    response.flushBuffer();
    SseStream stream =
        new SseStream(json, response.getOutputStream(), progressToken, heartbeat, onDisconnect);
    Thread.ofVirtual().name("sse-heartbeat").start(stream::beat);
    return stream;
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
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes("event: message\ndata: ".getBytes(UTF_8));
    bytes.writeBytes(json.writeValueAsBytes(message));
    bytes.writeBytes("\n\n".getBytes(UTF_8));
    write(bytes.toByteArray());
  }

  private void beat() {
    lock.lock();
    try {
      while (!closed && !broken) {
        long due = lastWrite + heartbeat.toNanos() - System.nanoTime();
        if (due > 0) {
          var unused = finished.awaitNanos(due);
        } else {
          write(COMMENT);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private void write(byte[] bytes) {
    lock.lock();
    try {
      if (closed || broken) {
        return;
      }
      out.write(bytes);
      out.flush();
      lastWrite = System.nanoTime();
    } catch (IOException e) {
      broken = true;
      log.debug("the client is gone: {}", e.getMessage());
    } finally {
      lock.unlock();
    }
    if (broken) {
      onDisconnect.run();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      finished.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
