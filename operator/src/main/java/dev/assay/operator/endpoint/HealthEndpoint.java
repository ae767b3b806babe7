package dev.assay.operator.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** {@code /healthz} and {@code /readyz} for the kubelet, and {@code /metrics} for Prometheus. */
public final class HealthEndpoint implements AutoCloseable {
  private final HttpServer server;

  /**
   * Starts the endpoint.
   *
   * @param port TCP port; 0 for any free port
   * @param alive whether the process makes progress; if not, the kubelet restarts it
   * @param ready whether the operator's caches are synced
   * @param metrics in the text format of Prometheus
   * @throws IOException if the port cannot be bound
   */
  public HealthEndpoint(
      int port, BooleanSupplier alive, BooleanSupplier ready, Supplier<String> metrics)
      throws IOException {
    server = HttpServer.create(new InetSocketAddress(port), 16);
    answer("/healthz", alive);
    answer("/readyz", ready);
    server.createContext(
        "/metrics",
        exchange -> {
          try (exchange) {
            byte[] text = metrics.get().getBytes(UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
          }
        });
    server.start();
  }

  /** The port that it listens on. */
  int port() {
    return server.getAddress().getPort();
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
