package dev.assay.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An endpoint whose answers a test chooses, and which remembers what it was asked. */
public final class FakeApi implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Answer> answers = new ConcurrentHashMap<>();
  private final List<Asked> asked = Collections.synchronizedList(new ArrayList<>());

  /**
   * An answer.
   *
   * @param status of HTTP
   * @param contentType of the body
   * @param body the whole of it
   */
  public record Answer(int status, String contentType, String body) {}

  /**
   * A request.
   *
   * @param line method and path with its query
   * @param key as the Authorization header brought it; empty for none
   * @param body the whole of it
   */
  public record Asked(String line, String key, String body) {}

  public FakeApi() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /** Without a path. */
  public String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** From now on answers a request line with JSON. */
  public FakeApi on(String line, int status, String json) {
    return on(line, new Answer(status, "application/json", json));
  }

  /** From now on answers a request line in some way. */
  public FakeApi on(String line, Answer answer) {
    answers.put(line, answer);
    return this;
  }

  /** All requests so far. */
  public List<Asked> asked() {
    return List.copyOf(asked);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
      String key = exchange.getRequestHeaders().getFirst("Authorization");
      String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      asked.add(new Asked(line, key == null ? "" : key, body));
      Answer answer =
          answers.getOrDefault(
              line,
              new Answer(
                  404,
                  "application/json",
                  "{\"error\":{\"code\":404,\"message\":\"no answer for " + line + "\"}}"));
      exchange.getResponseHeaders().set("Content-Type", answer.contentType);
      byte[] bytes = answer.body.getBytes(UTF_8);
      exchange.sendResponseHeaders(answer.status, bytes.length == 0 ? -1 : bytes.length);
      if (bytes.length > 0) {
        exchange.getResponseBody().write(bytes);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
