package dev.assay.api.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * {@code /healthz} and {@code /readyz} for the kubelet, and {@code /metrics} for Prometheus, on a
 * port of their own. Each request has a thread of its own, so that one whose head does not arrive
 * holds up no probe.
 */
public final class HealthEndpoint implements AutoCloseable {
  private static final int BACKLOG = 128;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;

  /**
   * Starts the endpoint.
   *
   * @param address where it listens; port 0 for any free port
   * @param alive whether the process makes progress; if not, the kubelet restarts it
   * @param ready whether the process can do its work; if not, no Service sends it requests
   * @param metrics in the text format of Prometheus
   * @throws IOException if the address cannot be bound
   */
  public HealthEndpoint(
      InetSocketAddress address,
      BooleanSupplier alive,
      BooleanSupplier ready,
      Supplier<String> metrics)
      throws IOException {
    server = HttpServer.create(address, BACKLOG);
    server.setExecutor(threads);
    server.createContext("/healthz", exchange -> answer(exchange, alive));
    server.createContext("/readyz", exchange -> answer(exchange, ready));
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

  private static void answer(HttpExchange exchange, BooleanSupplier holds) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(holds.getAsBoolean() ? 200 : 503, -1);
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
