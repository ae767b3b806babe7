package dev.assay.gateway.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.api.v1alpha1.ToolServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Has one tool server. It lists it and accepts watches, which are told of no change. */
final class SilentApiServer implements AutoCloseable {
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch end = new CountDownLatch(1);
  private final HttpServer server;
  private volatile @Nullable ToolServer object;
  private volatile boolean answersReads = true;

  /** How often the server was read. */
  final AtomicInteger reads = new AtomicInteger();

  SilentApiServer(ToolServer object) throws IOException {
    this.object = object;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  String uri() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Changes or deletes the object. */
  void set(@Nullable ToolServer changed) {
    object = changed;
  }

  void answerReads(boolean answers) {
    answersReads = answers;
  }

  private void serve(HttpExchange exchange) throws IOException {
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    boolean isRead = exchange.getRequestURI().getPath().endsWith("/toolservers/tools");
    if (query.contains("watch=true")) {
      // The client then asks for a response that does not end.
      exchange.sendResponseHeaders(
          exchange.getRequestHeaders().containsKey("Upgrade") ? 400 : 200, 0);
      awaitEnd();
    } else if (isRead && !answersReads) {
      reads.incrementAndGet();
      reply(exchange, 503, "{}");
    } else if (isRead) {
      reads.incrementAndGet();
      ToolServer now = object;
      reply(
          exchange,
          now == null ? 404 : 200,
          now == null
              ? "{\"kind\": \"Status\", \"code\": 404, \"reason\": \"NotFound\"}"
              : Serialization.asJson(now));
    } else {
      reply(
          exchange,
          200,
          "{\"kind\": \"ToolServerList\", \"apiVersion\": \"assay.dev/v1alpha1\","
              + " \"metadata\": {\"resourceVersion\": \"7\"}, \"items\": ["
              + (object == null ? "" : Serialization.asJson(object))
              + "]}");
    }
  }

  private void awaitEnd() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void reply(HttpExchange exchange, int status, String json) throws IOException {
    byte[] body = json.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() {
    end.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
