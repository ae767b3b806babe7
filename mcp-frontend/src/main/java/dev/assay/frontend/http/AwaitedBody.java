package dev.assay.frontend.http;

import dev.assay.frontend.call.Cancellation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.InputStream;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that may wait for long until it is read. A client that expects {@code 100
 * Continue} sends nothing meanwhile, so that the end of its connection is noticed: the wait is then
 * cancelled. A client that sends its body at once hides the end of its connection behind it.
 */
final class AwaitedBody implements AutoCloseable {
  private final Content.Source source;
  private final AbstractEndPoint connection;
  private final Cancellation cancellation = new Cancellation();
  private final ReentrantLock lock = new ReentrantLock();
  private boolean watching;
  private Content.@Nullable Chunk held;

  /** Watches the connection until the body is read or closed. */
  AwaitedBody(HttpServletRequest request) {
    this.source = ServletContextRequest.getServletContextRequest(request);
    this.connection = (AbstractEndPoint) Connections.of(request);
    this.watching = request.getHeader("Expect") != null;
    if (watching) {
      listen();
    }
  }

  /** Cancelled if the client disconnects before its body is read. */
  Cancellation cancellation() {
    return cancellation;
  }

  /** The body. The client is told to continue at the first read. */
  InputStream stream() {
    // The stream of the servlet API would do that at once, even if the content is there already.
    return Content.Source.asInputStream(new Unwatched());
  }

  private void listen() {
    var unused = connection.tryFillInterested(Callback.from(this::readable, this::failed));
  }

  private void failed(Throwable failure) {
    if (failure instanceof TimeoutException) {
      readable();
    } else {
      cancellation.cancel(Cancellation.Cause.DISCONNECTED);
    }
  }

  private void readable() {
    lock.lock();
    try {
      if (!watching) {
        return;
      }
      held = source.read();
      if (held == null) {
        listen();
        return;
      }
      watching = false;
      if (!Content.Chunk.isFailure(held)) {
        return; // The client does not wait any longer.
      }
    } finally {
      lock.unlock();
    }
    cancellation.cancel(Cancellation.Cause.DISCONNECTED);
  }

  /** Leaves the connection to the server. */
  private void stopWatching() {
    if (watching) {
      watching = false;
      var unused = connection.getFillInterest().fillable();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      stopWatching();
      if (held != null) {
        held.release();
        held = null;
      }
    } finally {
      lock.unlock();
    }
  }

  /** The body for who reads it. */
  private final class Unwatched implements Content.Source {
    @Override
    public Content.@Nullable Chunk read() {
      lock.lock();
      try {
        stopWatching();
        if (held == null) {
          return source.read();
        }
        Content.Chunk first = held;
        held = Content.Chunk.next(first);
        return first;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void demand(Runnable demandCallback) {
      source.demand(demandCallback);
    }

    @Override
    public void fail(Throwable failure) {
      source.fail(failure);
    }
  }
}
