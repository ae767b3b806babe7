package dev.assay.e2e.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A server of MCP by hand, whose tools reply as no server should. Only {@code fine} is. Beside it,
 * the same at paths whose lists of tools are none.
 */
public final class HostileUpstream implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String INITIALIZED =
      """
      {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
       "serverInfo": {"name": "hostile", "version": "1"}}
      """;
  private static final int BLOCK = 1 << 16;
  private static final long HUGE = 100L << 20;
  private static final int MANY_TOOLS = 5_000;
  private static final int LONG_SCHEMA = 10 << 20;
  private static final int DEPTH = 10_000;
  private static final int MANY_CHANGES = 1_000;
  private static final Duration PAUSE = Duration.ofMillis(5);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicInteger elsewhere = new AtomicInteger();
  private final AtomicInteger lists = new AtomicInteger();
  private final List<String> replies = new CopyOnWriteArrayList<>();
  private final Map<String, Reply> tools = new LinkedHashMap<>();
  private final HttpServer http;

  /** Replies to a call, in whatever way. */
  private interface Reply {
    void to(HttpExchange exchange, JsonNode call) throws IOException, InterruptedException;
  }

  /** Lists tools. */
  private interface Listing {
    String of(JsonNode request);
  }

  /**
   * Starts one.
   *
   * @param address of this machine, at which it listens, at any free port
   */
  public static HostileUpstream start(String address) {
    try {
      return new HostileUpstream(address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HostileUpstream(String address) throws IOException {
    addTools();
    AtomicInteger page = new AtomicInteger();
    http = HttpServer.create(new InetSocketAddress(InetAddress.getByName(address), 0), 0);
    http.setExecutor(threads);
    serve(
        "/mcp",
        request -> {
          lists.incrementAndGet();
          return list(tools.keySet().stream().map(HostileUpstream::tool));
        });
    serve(
        "/cursors",
        request -> "{\"tools\": [], \"nextCursor\": \"%d\"}".formatted(page.incrementAndGet()));
    serve("/many", request -> list(IntStream.range(0, MANY_TOOLS).mapToObj(n -> tool("t" + n))));
    serve("/twice", request -> list(IntStream.range(0, 2).mapToObj(n -> tool("same"))));
    serve(
        "/long",
        request ->
            "{\"tools\": [{\"name\": \"a\", \"inputSchema\": {\"x\": \"%s\"}}]}"
                .formatted("x".repeat(LONG_SCHEMA)));
    http.createContext(
        "/elsewhere",
        exchange -> {
          elsewhere.incrementAndGet();
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    http.start();
  }

  private static String list(Stream<String> definitions) {
    return "{\"tools\": [" + definitions.collect(Collectors.joining(",")) + "]}";
  }

  private static String tool(String name) {
    return "{\"name\": \"%s\", \"inputSchema\": {\"type\": \"object\"}}".formatted(name);
  }

  private void addTools() {
    tools.put("fine", (exchange, call) -> result(exchange, call, text("fine")));
    tools.put("silent", (exchange, call) -> ended.await());
    tools.put(
        "endless", (exchange, call) -> drip(exchange, "text/event-stream", ": on\n\n", PAUSE));
    tools.put("slow", (exchange, call) -> drip(exchange, "application/json", " ", SECOND));
    tools.put("huge", (exchange, call) -> writeHuge(exchange));
    tools.put("no_json", (exchange, call) -> body(exchange, "hello"));
    tools.put("no_result", (exchange, call) -> result(exchange, call, "5"));
    tools.put(
        "other_id",
        (exchange, call) ->
            body(exchange, "{\"jsonrpc\": \"2.0\", \"id\": \"call-0\", \"result\": {}}"));
    tools.put(
        "deep", (exchange, call) -> result(exchange, call, "[".repeat(DEPTH) + "]".repeat(DEPTH)));
    tools.put(
        "redirect",
        (exchange, call) -> {
          exchange.getResponseHeaders().set("Location", "/elsewhere");
          exchange.sendResponseHeaders(307, -1);
        });
    tools.put(
        "echo", (exchange, call) -> result(exchange, call, text("sent: " + credential(exchange))));
    tools.put(
        "echo_error",
        (exchange, call) ->
            body(
                exchange,
                "{\"jsonrpc\": \"2.0\", \"id\": %s, \"error\": {\"code\": 1, \"message\": \"%s\"}}"
                    .formatted(call.path("id"), "sent: " + credential(exchange))));
    tools.put(
        "sampling",
        (exchange, call) ->
            events(
                exchange,
                "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"sampling/createMessage\","
                    + " \"params\": {}}",
                response(call, text("asked"))));
    tools.put("changes", HostileUpstream::announceChanges);
  }

  /** Its stream says very often that the list of tools has changed, and then has the reply. */
  private static void announceChanges(HttpExchange exchange, JsonNode call) throws IOException {
    List<String> messages =
        new ArrayList<>(
            Collections.nCopies(
                MANY_CHANGES,
                "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/tools/list_changed\"}"));
    messages.add(response(call, text("changed")));
    events(exchange, messages.toArray(String[]::new));
  }

  private static String credential(HttpExchange exchange) {
    return String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
  }

  private static String text(String text) {
    return "{\"content\": [{\"type\": \"text\", \"text\": \"%s\"}]}".formatted(text);
  }

  private static String response(JsonNode request, String result) {
    return "{\"jsonrpc\": \"2.0\", \"id\": %s, \"result\": %s}"
        .formatted(request.path("id"), result.replace('\n', ' '));
  }

  private static void result(HttpExchange exchange, JsonNode request, String result)
      throws IOException {
    body(exchange, response(request, result));
  }

  private static void body(HttpExchange exchange, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  private static void events(HttpExchange exchange, String... messages) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      for (String message : messages) {
        out.write(("data: " + message + "\n\n").getBytes(UTF_8));
        out.flush();
      }
    }
  }

  /** Writes the same until the client is gone, or this server is. */
  private void drip(HttpExchange exchange, String type, String drop, Duration pause)
      throws IOException, InterruptedException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(200, 0);
    OutputStream out = exchange.getResponseBody();
    do {
      out.write(drop.getBytes(UTF_8));
      out.flush();
    } while (!ended.await(pause.toMillis(), TimeUnit.MILLISECONDS));
  }

  private static void writeHuge(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, HUGE);
    byte[] block = " ".repeat(BLOCK).getBytes(UTF_8);
    OutputStream out = exchange.getResponseBody();
    for (long written = 0; written < HUGE; written += BLOCK) {
      out.write(block);
    }
  }

  private void serve(String path, Listing listing) {
    http.createContext(path, exchange -> handle(exchange, listing));
  }

  private void handle(HttpExchange exchange, Listing listing) throws IOException {
    try (exchange) {
      if (!exchange.getRequestMethod().equals("POST")) {
        exchange.sendResponseHeaders(405, -1);
        return;
      }
      JsonNode request = JSON.readTree(exchange.getRequestBody().readAllBytes());
      switch (request.path("method").asText()) {
        case "initialize" -> result(exchange, request, INITIALIZED);
        case "tools/list" -> result(exchange, request, listing.of(request));
        case "tools/call" -> tools.get(request.at("/params/name").asText()).to(exchange, request);
        case "" -> {
          replies.add(request.toString());
          exchange.sendResponseHeaders(202, -1);
        }
        default -> exchange.sendResponseHeaders(202, -1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The address for a ToolServer. */
  public URI url() {
    return url("/mcp");
  }

  /**
   * The address of one whose list is refused.
   *
   * @param path /cursors without an end, /many tools, /twice the same name, or a /long schema
   */
  public URI url(String path) {
    InetSocketAddress address = http.getAddress();
    return URI.create(
        "http://" + address.getAddress().getHostAddress() + ":" + address.getPort() + path);
  }

  /** The names of its tools. */
  public List<String> toolNames() {
    return List.copyOf(tools.keySet());
  }

  /** What it was sent in reply to requests of its own. */
  public List<String> replies() {
    return List.copyOf(replies);
  }

  /** How often its tools were listed. */
  public int lists() {
    return lists.get();
  }

  /** How often somebody followed its redirect. */
  public int redirected() {
    return elsewhere.get();
  }

  @Override
  public void close() {
    ended.countDown();
    http.stop(0);
    threads.shutdownNow();
  }
}
