package dev.assay.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An endpoint whose answers a test chooses, and which remembers what it was asked. */
public final class FakeApi implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, Deque<Answer>> answers = new ConcurrentHashMap<>();
  private final Map<String, Answering> answerings = new ConcurrentHashMap<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final List<Asked> asked = Collections.synchronizedList(new ArrayList<>());

  /**
   * An answer.
   *
   * @param status of HTTP
   * @param contentType of the body
   * @param body without its end, where that is missing
   * @param headers beside that of the type
   * @param end what comes after the body
   */
  public record Answer(
      int status, String contentType, String body, Map<String, String> headers, End end) {
    public Answer(int status, String contentType, String body) {
      this(status, contentType, body, Map.of(), End.WHOLE);
    }

    /** Text whose connection breaks before its end. */
    public static Answer brokenOff(String body) {
      return new Answer(200, "text/plain", body, Map.of(), End.BROKEN);
    }

    /** Text after which nothing comes until the endpoint is closed. */
    public static Answer unending(String body) {
      return new Answer(200, "text/plain", body, Map.of(), End.NEVER);
    }

    /** A stream of MCP with one notification, whose reply never comes. */
    public static Answer unansweredCall() {
      return new Answer(
          200, "text/event-stream", "data: {\"method\":\"m\"}\n\n", Map.of(), End.NEVER);
    }

    /** The same with a header. */
    public Answer with(String header, String value) {
      return new Answer(status, contentType, body, Map.of(header, value), end);
    }
  }

  /** Makes the answer to a body. */
  @FunctionalInterface
  public interface Answering {
    Answer answer(String body) throws IOException;
  }

  /** What comes after a body. */
  public enum End {
    WHOLE,
    BROKEN,
    NEVER
  }

  /**
   * A request.
   *
   * @param line method and path with its query
   * @param key as the Authorization header brought it; empty for none
   * @param session as the header of MCP brought it; empty for none
   * @param body the whole of it
   * @param idempotencyKey as the header brought it; empty for none
   */
  public record Asked(
      String line, String key, String session, String body, String idempotencyKey) {}

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

  /** From now on answers a request line in these ways, one after the other; the last one stays. */
  public FakeApi on(String line, Answer... some) {
    answers.put(line, new ConcurrentLinkedDeque<>(List.of(some)));
    return this;
  }

  /** From now on answers a request line as its body wants it. */
  public FakeApi onCall(String line, Answering answering) {
    answerings.put(line, answering);
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
      String session = exchange.getRequestHeaders().getFirst("Mcp-Session-Id");
      String idempotencyKey = exchange.getRequestHeaders().getFirst("Idempotency-Key");
      asked.add(
          new Asked(
              line,
              key == null ? "" : key,
              session == null ? "" : session,
              body,
              idempotencyKey == null ? "" : idempotencyKey));
      Answering answering = answerings.get(line);
      Answer answer = answering == null ? answerTo(line) : answering.answer(body);
      answer.headers.forEach(exchange.getResponseHeaders()::set);
      exchange.getResponseHeaders().set("Content-Type", answer.contentType);
      byte[] bytes = answer.body.getBytes(UTF_8);
      long length = answer.end == End.WHOLE ? bytes.length : bytes.length + 1L;
      exchange.sendResponseHeaders(answer.status, length == 0 ? -1 : length);
      if (length > 0) {
        exchange.getResponseBody().write(bytes);
        exchange.getResponseBody().flush();
      }
      if (answer.end == End.NEVER) {
        closed.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Answer answerTo(String line) {
    Deque<Answer> some = answers.get(line);
    if (some == null) {
      return new Answer(
          404,
          "application/json",
          "{\"error\":{\"code\":404,\"message\":\"no answer for " + line + "\"}}");
    }
    Answer next = some.size() > 1 ? some.poll() : some.peek();
    return Objects.requireNonNull(next);
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.close();
  }
}
