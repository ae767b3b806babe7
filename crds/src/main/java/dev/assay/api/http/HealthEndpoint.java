package dev.assay.api.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * {@code /healthz} and {@code /readyz} for the kubelet, and {@code /metrics} for Prometheus, on a
 * port of their own. Each request has a thread of its own, so that one whose head does not arrive
 * holds up no probe.
 */
public final class HealthEndpoint implements AutoCloseable {
  private static final int BACKLOG = 128;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;

  /** Starts an endpoint whose {@code /readyz} has no body. */
  public HealthEndpoint(
      InetSocketAddress address,
      BooleanSupplier alive,
      BooleanSupplier ready,
      Supplier<String> metrics)
      throws IOException {
    this(address, alive, ready, List::of, metrics);
  }

  /**
   * Starts the endpoint.
   *
   * @param address where it listens; port 0 for any free port
   * @param alive whether the process makes progress; if not, the kubelet restarts it
   * @param ready whether the process can do its work; if not, no Service sends it requests
   * @param problems what does not make the process unready, a line each: the body of {@code
   *     /readyz}
   * @param metrics in the text format of Prometheus
   * @throws IOException if the address cannot be bound
   */
  public HealthEndpoint(
      InetSocketAddress address,
      BooleanSupplier alive,
      BooleanSupplier ready,
      Supplier<List<String>> problems,
      Supplier<String> metrics)
      throws IOException {
    server = HttpServer.create(address, BACKLOG);
    server.setExecutor(threads);
    server.createContext("/healthz", exchange -> answer(exchange, status(alive), "text/plain", ""));
    server.createContext(
        "/readyz",
        exchange ->
            answer(
                exchange,
                status(ready),
                "text/plain; charset=utf-8",
                problems.get().stream().map(line -> line + "\n").collect(Collectors.joining())));
    server.createContext(
        "/metrics", exchange -> answer(exchange, 200, "text/plain; version=0.0.4", metrics.get()));
    server.start();
  }

  private static int status(BooleanSupplier holds) {
    return holds.getAsBoolean() ? 200 : 503;
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    try (exchange) {
      byte[] body = text.getBytes(UTF_8);
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      if (body.length > 0) {
        exchange.getResponseBody().write(body);
      }
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
