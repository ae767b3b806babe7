package dev.assay.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Passes messages of MCP's stdio transport, one a line, on to an endpoint of its HTTP transport,
 * and what comes back, replies and notifications, to a stream. Messages are under way side by side.
 */
public final class McpBridge {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int INTERNAL_ERROR = -32603;
  private static final int FIRST_ERROR = 400;
  private static final Duration LAST_ANSWERS = Duration.ofMinutes(11);
  private static final String PROTOCOL_VERSION = "MCP-Protocol-Version";

  private final Endpoint endpoint;
  private final PrintStream out;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = Endpoint.newHttpClient();
  private volatile @Nullable String protocolVersion;

  public McpBridge(Endpoint endpoint, PrintStream out) {
    this.endpoint = endpoint;
    this.out = out;
  }

  /** Runs, once, until the input ends and all replies are written. */
  public void run(InputStream in) throws IOException, InterruptedException {
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
      String line;
      while ((line = lines.readLine()) != null) {
        if (line.isBlank()) {
          continue;
        }
        String message = line;
        if (message.contains("\"initialize\"")) {
          // What comes after it carries the version that was agreed on.
          pass(message);
        } else {
          threads.execute(() -> pass(message));
        }
      }
    }
    threads.shutdown();
    boolean unused = threads.awaitTermination(LAST_ANSWERS.toMillis(), TimeUnit.MILLISECONDS);
    http.shutdownNow();
  }

  private void pass(String message) {
    HttpRequest.Builder request =
        endpoint
            .request("/mcp")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .POST(HttpRequest.BodyPublishers.ofString(message));
    String version = protocolVersion;
    if (version != null) {
      request.header(PROTOCOL_VERSION, version);
    }
    try {
      HttpResponse<InputStream> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) {
        if (response.statusCode() >= FIRST_ERROR) {
          refuse(message, endpoint.uri() + " answered " + response.statusCode());
        } else {
          write(response, body);
        }
      }
    } catch (IOException e) {
      refuse(message, endpoint.uri() + " could not be reached: start it with 'assay local'");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(HttpResponse<InputStream> response, InputStream body) throws IOException {
    Optional<String> type = response.headers().firstValue("Content-Type");
    if (type.orElse("").startsWith("text/event-stream")) {
      writeEvents(body);
    } else {
      String text = new String(body.readAllBytes(), UTF_8);
      if (!text.isBlank()) {
        write(text);
      }
    }
  }

  /** The lines of an event's data make one message. */
  private void writeEvents(InputStream body) throws IOException {
    StringBuilder data = new StringBuilder();
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, UTF_8))) {
      String line;
      while ((line = lines.readLine()) != null) {
        if (line.startsWith("data:")) {
          data.append(line.substring("data:".length()).stripLeading());
        } else if (line.isEmpty() && !data.isEmpty()) {
          write(data.toString());
          data.setLength(0);
        }
      }
    }
    if (!data.isEmpty()) {
      write(data.toString());
    }
  }

  private void write(String json) {
    try {
      JsonNode message = JSON.readTree(json);
      String version = message.path("result").path("protocolVersion").asString("");
      if (!version.isEmpty()) {
        protocolVersion = version;
      }
      println(JSON.writeValueAsString(message));
    } catch (JacksonException e) {
      System.err.println("assay: " + endpoint.uri() + " sent what is not JSON");
    }
  }

  /** A request gets an answer in any case; a notification gets none. */
  private void refuse(String message, String why) {
    System.err.println("assay: " + why);
    try {
      JsonNode id = JSON.readTree(message).path("id");
      if (id.isMissingNode() || id.isNull()) {
        return;
      }
      ObjectNode reply = JSON.createObjectNode().put("jsonrpc", "2.0");
      reply.set("id", id);
      reply.putObject("error").put("code", INTERNAL_ERROR).put("message", why);
      println(JSON.writeValueAsString(reply));
    } catch (JacksonException e) {
      System.err.println("assay: a line of the input is not JSON");
    }
  }

  private synchronized void println(String line) {
    out.println(line);
    out.flush();
  }
}
