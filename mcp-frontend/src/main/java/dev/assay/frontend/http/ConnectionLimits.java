package dev.assay.frontend.http;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The maximum number of connections, and how long each may be silent. A connection that serves no
 * request with a valid key waits: for a first byte, for the rest of a head, for the next request.
 * When nearly all connections are open, each new one evicts the oldest of those, of the address
 * that has most of them. So connections without a key take no room from requests that have one,
 * even where all come through one proxy.
 *
 * <p>Jetty's own idle timeout for requests is not used: it is one for all connections.
 */
final class ConnectionLimits extends NetworkConnectionLimit implements Connection.Listener {
  /** One in this many connections stays free for new ones. */
  private static final int RESERVED_FRACTION = 16;

  private final int evictionThreshold;
  private final Duration idle;
  private final Duration keepAlive;

  /** The waiting connections and their addresses, the one that waits longest first. */
  private final Map<EndPoint, String> waiting = new LinkedHashMap<>();

  private int open;

  /**
   * The limits of a server.
   *
   * @param idle maximum silence within a request
   * @param keepAlive maximum silence between requests, the idle timeout of the connector
   */
  ConnectionLimits(Server server, int max, Duration idle, Duration keepAlive) {
    super(max, server);
    this.evictionThreshold = max - max / RESERVED_FRACTION;
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
        connection.setIdleTimeout(idle.toMillis());
        Request.addCompletionListener(request, failure -> release(connection));
        return super.handle(request, response, callback);
      }
    };
  }

  /**
   * Notes that a request on this connection has a valid key: until it ends, the connection is not
   * evicted.
   *
   * @return false if it was evicted before
   */
  boolean markServing(EndPoint connection) {
    synchronized (waiting) {
      return waiting.remove(connection) != null;
    }
  }

  private void release(EndPoint connection) {
    connection.setIdleTimeout(keepAlive.toMillis());
    synchronized (waiting) {
      waiting.putIfAbsent(connection, addressOf(connection));
      if (!connection.isOpen()) {
        waiting.remove(connection);
      }
    }
  }

  @Override
  public void onOpened(Connection connection) {
    EndPoint opened = connection.getEndPoint();
    @Nullable EndPoint evicted = null;
    synchronized (waiting) {
      open++;
      if (open > evictionThreshold) {
        evicted = longestWaiting();
        waiting.remove(evicted);
      }
      waiting.put(opened, addressOf(opened));
    }
    if (evicted != null) {
      evicted.close();
    }
  }

  @Override
  public void onClosed(Connection connection) {
    synchronized (waiting) {
      open--;
      waiting.remove(connection.getEndPoint());
    }
  }

  /** How many connections serve a request with a valid key. */
  int serving() {
    synchronized (waiting) {
      return open - waiting.size();
    }
  }

  /** How many connections wait. */
  int waiting() {
    synchronized (waiting) {
      return waiting.size();
    }
  }

  /** The connection that waits longest, of the address with the most waiting connections. */
  private @Nullable EndPoint longestWaiting() {
    Map<String, Integer> counts = new HashMap<>();
    waiting.values().forEach(address -> counts.merge(address, 1, Integer::sum));
    Optional<String> largest =
        counts.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
    return waiting.entrySet().stream()
        .filter(entry -> entry.getValue().equals(largest.orElse("")))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  /** The IP address of the other side, or of the proxy before it. */
  static String addressOf(EndPoint connection) {
    return connection.getRemoteSocketAddress() instanceof InetSocketAddress address
            && address.getAddress() != null
        ? address.getAddress().getHostAddress()
        : "";
  }
}
