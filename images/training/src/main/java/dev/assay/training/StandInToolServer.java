package dev.assay.training;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An MCP server with a few tools, which answers as a tool server of the cluster does. */
final class StandInToolServer implements AutoCloseable {
  /** Not 127.0.0.1: that is the API server's, which no tool server may have. */
  private static final String HOST = "127.0.0.2";

  private static final int TOOLS = 20;

  private final ObjectMapper json = new ObjectMapper();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;

  StandInToolServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral(HOST), 0), 0);
    server.setExecutor(threads);
    server.createContext("/mcp", this::handle);
    server.start();
  }

  String authority() {
    return HOST + ":" + server.getAddress().getPort();
  }

  String url() {
    return "http://%s/mcp".formatted(authority());
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestMethod().equals("POST")) {
        exchange.sendResponseHeaders(405, -1);
        return;
      }
      JsonNode request = json.readTree(exchange.getRequestBody());
      if (!request.has("id")) {
        exchange.sendResponseHeaders(202, -1);
        return;
      }
      ObjectNode response = json.createObjectNode().put("jsonrpc", "2.0");
      response.set("id", request.path("id"));
      response.set("result", result(request));
      byte[] body = json.writeValueAsBytes(response);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.getResponseHeaders().set("Mcp-Session-Id", "training");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private ObjectNode result(JsonNode request) {
    return switch (request.path("method").asText()) {
      case "initialize" -> initialized();
      case "tools/list" -> tools();
      case "tools/call" -> called(request.path("params").path("arguments"));
      default -> json.createObjectNode();
    };
  }

  private ObjectNode initialized() {
    ObjectNode result = json.createObjectNode().put("protocolVersion", "2025-06-18");
    result.putObject("capabilities").putObject("tools");
    result.putObject("serverInfo").put("name", "stand-in").put("version", "1");
    return result;
  }

  private ObjectNode tools() {
    ObjectNode result = json.createObjectNode();
    for (int number = 0; number < TOOLS; number++) {
      ObjectNode tool = result.withArray("tools").addObject().put("name", "tool_" + number);
      tool.put("description", "Returns its arguments, as tool " + number);
      ObjectNode schema = tool.putObject("inputSchema").put("type", "object");
      schema.putObject("properties").putObject("value").put("type", "integer");
      tool.putObject("annotations")
          .put("readOnlyHint", number % 2 == 0)
          .put("destructiveHint", false);
    }
    return result;
  }

  private ObjectNode called(JsonNode arguments) {
    ObjectNode result = json.createObjectNode().put("isError", false);
    result.set("structuredContent", arguments);
    result.withArray("content").addObject().put("type", "text").put("text", arguments.toString());
    return result;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
