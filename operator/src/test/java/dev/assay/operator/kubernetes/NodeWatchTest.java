package dev.assay.operator.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.operator.FakeApiServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NodeWatchTest {
  private static final long PATIENCE_SECONDS = 20;
  private static final String END = "";

  /** Lines of the watch, the next one once it is there; {@link #END} ends it. */
  private final BlockingQueue<String> changes = new LinkedBlockingQueue<>();

  private final AtomicBoolean forbidden = new AtomicBoolean();
  private final BlockingQueue<String> queries = new LinkedBlockingQueue<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server = serve();
  private final KubernetesClient client =
      ApiClients.create(
          new ConfigBuilder(Config.empty())
              .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
              .withRequestRetryBackoffLimit(0)
              .withWatchReconnectInterval(10)
              .build());
  private final NodeWatch nodes = new NodeWatch(client);

  @AfterEach
  void stop() {
    nodes.close();
    client.close();
    server.stop(0);
    threads.shutdownNow();
  }

  @Test
  void aNodeIsCordonedUntilItIsUncordoned() {
    await(() -> nodes.isCordoned("listed"));
    assertThat(nodes.isCordoned("unheard-of")).isFalse();
    changes.add(change("ADDED", "later"));
    await(() -> nodes.isCordoned("later"));
    changes.add(change("DELETED", "listed"));
    await(() -> !nodes.isCordoned("listed"));
    assertThat(nodes.isCordoned("later")).isTrue();
  }

  @Test
  void onlyCordonedNodesAreRequested() {
    await(() -> nodes.isCordoned("listed"));
    assertThat(queries).allSatisfy(query -> assertThat(query).contains("spec.unschedulable=true"));
  }

  @Test
  void noNodeIsCordonedWhileTheyMayNotBeWatched() {
    await(() -> nodes.isCordoned("listed"));
    forbidden.set(true);
    changes.add(END);
    await(() -> !nodes.isCordoned("listed"));
    forbidden.set(false);
    await(() -> nodes.isCordoned("listed"));
  }

  private static void await(BooleanSupplier holds) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime()).as("it takes too long").isLessThan(end);
      Thread.onSpinWait();
    }
  }

  private HttpServer serve() {
    try {
      HttpServer made =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      made.setExecutor(threads);
      made.createContext("/api/v1/nodes", this::answer);
      made.start();
      return made;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String query = exchange.getRequestURI().getQuery();
      queries.add(query);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      if (forbidden.get()) {
        send(exchange, 403, FakeApiServer.failure(403, "Forbidden", "may not list").body());
      } else if (!query.contains("watch=true")) {
        send(
            exchange,
            200,
            "{\"kind\":\"NodeList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},"
                + "\"items\":[%s]}".formatted(node("listed")));
      } else if (exchange.getRequestHeaders().containsKey("Sec-WebSocket-Key")) {
        send(exchange, 200, "{}");
      } else {
        watch(exchange);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void watch(HttpExchange exchange) throws IOException, InterruptedException {
    exchange.sendResponseHeaders(200, 0);
    // The headers are sent with the first line.
    for (String line = change("BOOKMARK", ""); !line.equals(END); line = changes.take()) {
      exchange.getResponseBody().write((line + "\n").getBytes(UTF_8));
      exchange.getResponseBody().flush();
    }
  }

  private static void send(HttpExchange exchange, int code, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static String change(String type, String name) {
    return "{\"type\":\"%s\",\"object\":%s}".formatted(type, node(name));
  }

  private static String node(String name) {
    return ("{\"kind\":\"Node\",\"apiVersion\":\"v1\","
            + "\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\",\"resourceVersion\":\"2\"},"
            + "\"spec\":{\"unschedulable\":true}}")
        .formatted(name, name);
  }
}
