package dev.assay.training;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Calls of the front end, each of which has to succeed: a failed one would train the wrong code.
 */
final class Calls implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String EVENT_DATA = "data:";

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient http = HttpClient.newHttpClient();
  private final URI endpoint;
  private final String key;

  Calls(URI endpoint, String key) {
    this.endpoint = endpoint;
    this.key = key;
  }

  /** Calls a tool by MCP; returns its result. */
  JsonNode tool(String name, String arguments) throws IOException, InterruptedException {
    ObjectNode parameters = json.createObjectNode().put("name", name);
    parameters.set("arguments", json.readTree(arguments));
    JsonNode result = mcp("tools/call", parameters);
    if (result.path("isError").asBoolean()) {
      throw new IOException("The tool " + name + " failed: " + result);
    }
    return result;
  }

  /** Sends a request by MCP; returns its result. */
  JsonNode mcp(String method, JsonNode parameters) throws IOException, InterruptedException {
    ObjectNode request = json.createObjectNode().put("jsonrpc", "2.0").put("id", 1);
    request.put("method", method).set("params", parameters);
    String answer = message(send("POST", "/mcp", request.toString()));
    JsonNode result = json.readTree(answer).path("result");
    if (!result.isObject()) {
      throw new IOException(method + " failed: " + answer);
    }
    return result;
  }

  /** The last event where the answer is a stream. */
  private static String message(String body) {
    return body.lines()
        .filter(line -> line.startsWith(EVENT_DATA))
        .map(line -> line.substring(EVENT_DATA.length()))
        .reduce((first, second) -> second)
        .orElse(body);
  }

  /** Sends a request to the REST API; returns the body of the response. */
  String rest(String method, String path, String body) throws IOException, InterruptedException {
    return send(method, "/api/v1" + path, body);
  }

  private String send(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(endpoint.resolve(path))
            .timeout(TIMEOUT)
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .method(method, BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    if (response.statusCode() / 100 != 2) {
      throw new IOException(
          "%s %s returned %d: %s".formatted(method, path, response.statusCode(), response.body()));
    }
    return response.body();
  }

  @Override
  public void close() {
    http.close();
  }
}
