package dev.assay.gateway.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** {@code /healthz} and {@code /readyz} for the kubelet, and {@code /metrics}. */
public final class HealthEndpoint implements AutoCloseable {
  private final HttpServer server;

  /**
   * Starts the endpoint.
   *
   * @param address where to listen; port 0 for any free port
   * @param ready whether the caches are synced and calls are taken
   * @param metrics in the format of Prometheus
   */
  public HealthEndpoint(InetSocketAddress address, BooleanSupplier ready, Supplier<String> metrics)
      throws IOException {
    server = HttpServer.create(address, 16);
    server.createContext("/healthz", exchange -> answer(exchange, 200, ""));
    server.createContext(
        "/readyz", exchange -> answer(exchange, ready.getAsBoolean() ? 200 : 503, ""));
    server.createContext("/metrics", exchange -> answer(exchange, 200, metrics.get()));
    server.start();
  }

  private static void answer(HttpExchange exchange, int status, String text) throws IOException {
    try (exchange) {
      byte[] body = text.getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
