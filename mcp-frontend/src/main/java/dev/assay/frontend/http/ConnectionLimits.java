package dev.assay.frontend.http;

import java.time.Duration;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;

/**
 * The maximum number of connections, and how long each may be silent. Jetty's own idle timeout for
 * requests is not used: after a request it restores the timeout from before, even if the maximum
 * was reached meanwhile.
 */
final class ConnectionLimits extends NetworkConnectionLimit {
  /** How long a connection may be silent while the maximum number is open. */
  private static final Duration CROWDED = Duration.ofSeconds(1);

  private final Duration idle;
  private final Duration keepAlive;
  private volatile boolean crowded;

  /**
   * The limits of a server.
   *
   * @param idle maximum silence within a request
   * @param keepAlive maximum silence between requests, the idle timeout of the connector
   */
  ConnectionLimits(Server server, int max, Duration idle, Duration keepAlive) {
    super(max, server);
    setEndPointIdleTimeout(CROWDED.toMillis());
    this.idle = idle;
    this.keepAlive = keepAlive;
  }

  /** Applies the limits to the requests that a handler serves. */
  Handler applyTo(Handler handler) {
    return new Handler.Wrapper(handler) {
      @Override
      public boolean handle(Request request, Response response, Callback callback)
          throws Exception {
        EndPoint connection = request.getConnectionMetaData().getConnection().getEndPoint();
        connection.setIdleTimeout(Math.min(connection.getIdleTimeout(), idle.toMillis()));
        Request.addCompletionListener(request, failure -> release(connection));
        return super.handle(request, response, callback);
      }
    };
  }

  private void release(EndPoint connection) {
    connection.setIdleTimeout(keepAlive.toMillis());
    if (crowded) {
      connection.setIdleTimeout(CROWDED.toMillis());
    }
  }

  @Override
  protected void limit() {
    crowded = true;
    super.limit();
  }

  @Override
  protected void unlimit() {
    crowded = false;
    super.unlimit();
  }
}
