package dev.assay.gateway.upstream;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.assay.gateway.definition.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/** A server of MCP by hand: it opens sessions as it should, and does what a test says elsewhere. */
final class ScriptedServer implements AutoCloseable {
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final Map<String, Reply> replies = new ConcurrentHashMap<>();
  private final List<String> methods = new CopyOnWriteArrayList<>();
  private final List<Map<String, List<String>>> headers = new CopyOnWriteArrayList<>();
  private volatile String session = "";
  private volatile boolean closesConnections;
  private final AtomicInteger ended = new AtomicInteger();
  private volatile com.sun.net.httpserver.HttpHandler stream =
      exchange -> exchange.sendResponseHeaders(405, -1);

  /** Replies to a request, in whatever way. */
  interface Reply {
    void to(HttpExchange exchange, JsonNode request) throws IOException;
  }

  ScriptedServer() throws IOException {
    this(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  ScriptedServer(InetSocketAddress address) throws IOException {
    server = HttpServer.create(address, 0);
    server.setExecutor(threads);
    server.createContext("/mcp", this::handle);
    server.start();
    on(
        "initialize",
        (exchange, request) ->
            json(
                exchange,
                request,
                "{\"protocolVersion\": \"2025-06-18\", \"capabilities\": {\"tools\": {}},"
                    + " \"serverInfo\": {\"name\": \"scripted\", \"version\": \"1\"}}"));
    tools("[{\"name\": \"a\", \"inputSchema\": {\"type\": \"object\"}}]");
    result("{\"content\": [{\"type\": \"text\", \"text\": \"done\"}]}");
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/mcp";
  }

  void context(String path, com.sun.net.httpserver.HttpHandler handler) {
    server.createContext(path, handler);
  }

  /** The methods of all requests and notifications so far. */
  List<String> methods() {
    return methods;
  }

  /** How many sessions the client has ended. */
  int ended() {
    return ended.get();
  }

  /** Has each request come by a connection of its own, from now on. */
  void closeConnections() {
    closesConnections = true;
  }

  List<Map<String, List<String>>> headers() {
    return headers;
  }

  /** How often a method was sent. */
  long count(String method) {
    return methods.stream().filter(method::equals).count();
  }

  ScriptedServer on(String method, Reply reply) {
    replies.put(method, reply);
    return this;
  }

  /** Has sessions, from the next initialize on. */
  void session(String id) {
    session = id;
  }

  /** Serves the stream of messages that nobody asked for. */
  void onStream(com.sun.net.httpserver.HttpHandler handler) {
    stream = handler;
  }

  void tools(String tools) {
    on("tools/list", (exchange, request) -> json(exchange, request, "{\"tools\": " + tools + "}"));
  }

  void result(String result) {
    on("tools/call", (exchange, request) -> json(exchange, request, result));
  }

  static void json(HttpExchange exchange, JsonNode request, String result) throws IOException {
    body(
        exchange,
        "{\"jsonrpc\": \"2.0\", \"id\": " + request.path("id") + ", \"result\": " + result + "}");
  }

  static void body(HttpExchange exchange, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** A stream whose length is not known before. */
  static OutputStream stream(HttpExchange exchange, String type) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(200, 0);
    return exchange.getResponseBody();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (closesConnections) {
        exchange.getResponseHeaders().set("Connection", "close");
      }
      if (!exchange.getRequestMethod().equals("POST")) {
        if (exchange.getRequestMethod().equals("GET")) {
          stream.handle(exchange);
        } else {
          ended.incrementAndGet();
          exchange.sendResponseHeaders(405, -1);
        }
        return;
      }
      headers.add(Map.copyOf(exchange.getRequestHeaders()));
      JsonNode request = Json.MAPPER.readTree(exchange.getRequestBody().readAllBytes());
      String method = request.path("method").asString("");
      methods.add(method);
      if (!session.isEmpty() && method.equals("initialize")) {
        exchange.getResponseHeaders().set("Mcp-Session-Id", session);
      }
      Reply reply = replies.get(method);
      if (reply != null) {
        reply.to(exchange, request);
      } else {
        exchange.sendResponseHeaders(202, -1);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
