package dev.assay.frontend.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.Content;

/**
 * Discards what a client still sends of a request that has been answered, as it arrives: no thread
 * waits for it.
 */
final class DiscardedBody implements Runnable, AsyncListener {
  private static final Duration MAX_TIME = Duration.ofSeconds(2);

  private final Content.Source source;
  private final AsyncContext request;
  private final Runnable atEnd;
  private long left;

  private DiscardedBody(Content.Source source, AsyncContext request, long bytes, Runnable atEnd) {
    this.source = source;
    this.request = request;
    this.left = bytes;
    this.atEnd = atEnd;
  }

  /**
   * Begins. The request ends at the end of its body, after two seconds, or when it is too long.
   *
   * @param request whose answer was written
   * @param bytes how much is discarded at most
   * @param atEnd called once
   */
  static void discard(HttpServletRequest request, long bytes, Runnable atEnd) {
    AsyncContext async = request.startAsync();
    DiscardedBody body =
        new DiscardedBody(
            ServletContextRequest.getServletContextRequest(request), async, bytes, atEnd);
    async.setTimeout(MAX_TIME.toMillis());
    async.addListener(body);
    body.run();
  }

  @Override
  public void run() {
    while (left > 0) {
      Content.Chunk chunk = source.read();
      if (chunk == null) {
        source.demand(this);
        return;
      }
      left -= chunk.remaining();
      boolean over = chunk.isLast() || Content.Chunk.isFailure(chunk);
      chunk.release();
      if (over) {
        break;
      }
    }
    request.complete();
  }

  @Override
  public void onComplete(AsyncEvent event) {
    atEnd.run();
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    request.complete();
  }

  @Override
  public void onError(AsyncEvent event) {
    request.complete();
  }

  @Override
  public void onStartAsync(AsyncEvent event) {
    // It is started once.
  }
}
