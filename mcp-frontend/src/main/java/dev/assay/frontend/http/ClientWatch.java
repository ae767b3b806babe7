package dev.assay.frontend.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Notices that a client has closed its connection while its answer is silent: nothing else tells,
 * as long as nothing is written. The answer is the last of its connection, so that whatever else
 * the client sends is read over.
 */
final class ClientWatch implements AutoCloseable {
  private static final int BUFFER_BYTES = 1024;

  private final EndPoint connection;
  private final Runnable onGone;
  private volatile boolean closed;

  private ClientWatch(EndPoint connection, Runnable onGone) {
    this.connection = connection;
    this.onGone = onGone;
  }

  /**
   * Watches until it is closed.
   *
   * @param response nothing of which was sent yet
   * @param onGone called at most once, when the client has closed its side of the connection
   */
  static ClientWatch of(HttpServletRequest request, HttpServletResponse response, Runnable onGone) {
    response.setHeader("Connection", "close");
    if ("HTTP/1.1".equals(request.getProtocol())) {
      // Else its end would be that of the connection, and no client could tell it from a failure.
      response.setHeader("Transfer-Encoding", "chunked");
    }
    ClientWatch watch = new ClientWatch(Connections.of(request), onGone);
    watch.listen();
    return watch;
  }

  private void listen() {
    var unused = connection.tryFillInterested(Callback.from(this::read, this::failed));
  }

  private void read() {
    try {
      ByteBuffer passedOver = BufferUtil.allocate(BUFFER_BYTES);
      int read = connection.fill(passedOver);
      while (read > 0) {
        BufferUtil.clear(passedOver);
        read = connection.fill(passedOver);
      }
      if (read < 0) {
        gone();
      } else if (!closed) {
        listen();
      }
    } catch (IOException e) {
      gone();
    }
  }

  private void failed(Throwable failure) {
    if (failure instanceof TimeoutException && !closed) {
      listen();
    } else {
      gone();
    }
  }

  private void gone() {
    if (!closed) {
      closed = true;
      onGone.run();
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
