package dev.assay.operator.endpoint;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;

/** {@code /healthz} and {@code /readyz} for the kubelet. */
public final class HealthEndpoint implements AutoCloseable {
  private final HttpServer server;

  /**
   * Starts the endpoint.
   *
   * @param port TCP port; 0 for any free port
   * @param alive whether the process makes progress; if not, the kubelet restarts it
   * @param ready whether the operator's caches are synced
   * @throws IOException if the port cannot be bound
   */
  public HealthEndpoint(int port, BooleanSupplier alive, BooleanSupplier ready) throws IOException {
    server = HttpServer.create(new InetSocketAddress(port), 16);
    answer("/healthz", alive);
    answer("/readyz", ready);
    server.start();
  }

  private void answer(String path, BooleanSupplier holds) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(holds.getAsBoolean() ? 200 : 503, -1);
          }
        });
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
