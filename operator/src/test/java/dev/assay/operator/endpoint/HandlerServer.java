package dev.assay.operator.endpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Serves one handler of the endpoint, on the loopback address. */
final class HandlerServer implements AutoCloseable {
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final HttpClient client = HttpClient.newHttpClient();

  /** As the endpoint calls a handler. */
  @FunctionalInterface
  interface Handler {
    int serve(HttpExchange exchange, Matcher path) throws IOException;
  }

  HandlerServer(Pattern path, Handler handler) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    // As the endpoint does: a request does not wait for the one before.
    server.setExecutor(threads);
    server.createContext("/", exchange -> serve(exchange, path, handler));
    server.start();
  }

  private static void serve(HttpExchange exchange, Pattern path, Handler handler)
      throws IOException {
    try (exchange) {
      Matcher matched = path.matcher(exchange.getRequestURI().getPath());
      assertThat(matched.matches()).isTrue();
      int status = handler.serve(exchange, matched);
      if (status != 200) {
        exchange.sendResponseHeaders(status, -1);
      }
    }
  }

  HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    return client.send(
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString(UTF_8));
  }

  @Override
  public void close() {
    // Not close(): a request without a response would keep a failed test from ending.
    client.shutdownNow();
    server.stop(0);
    threads.shutdownNow();
  }
}
