package dev.assay.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Forwards messages of MCP's stdio transport, one per line, to an endpoint of its HTTP transport,
 * and writes the replies and notifications to a stream. Messages are forwarded concurrently.
 *
 * <p>The transport of the MCP SDK is not used: it drops the body of an error response, and members
 * that it does not know.
 */
public final class McpBridge {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int FIRST_ERROR = 400;
  private static final int UNAUTHORIZED = 401;
  private static final int MAX_REFUSAL_BYTES = 64 * 1024;
  private static final Duration LAST_REPLIES = Duration.ofMinutes(11);

  /** Shorter than clients wait between SIGTERM and SIGKILL. */
  private static final Duration CANCELLATION = Duration.ofSeconds(2);

  private static final String PROTOCOL_VERSION = "MCP-Protocol-Version";
  private static final String SESSION = "Mcp-Session-Id";

  private final Endpoint endpoint;
  private final OutputStream out;
  private final Readiness readiness;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpClient http = Endpoint.newHttpClient();
  private final PendingRequests pending = new PendingRequests();
  private volatile @Nullable String protocolVersion;
  private volatile @Nullable String session;

  /** Whether the endpoint can execute tool calls; it answers everything else in any case. */
  @FunctionalInterface
  public interface Readiness {
    Readiness ALWAYS = Optional::empty;

    /** The reason why it cannot, after a short wait; empty if it can. */
    Optional<String> obstacle() throws InterruptedException;
  }

  /**
   * A bridge.
   *
   * @param out gets MCP messages and nothing else, in UTF-8
   */
  public McpBridge(Endpoint endpoint, OutputStream out, Readiness readiness) {
    this.endpoint = endpoint;
    this.out = out;
    this.readiness = readiness;
  }

  /**
   * Runs, once, until the input has ended and all replies are written, or the client is gone.
   * Requests that nobody waits for any more are cancelled.
   *
   * @param clientGone completes when nobody reads replies any more; asked for after the end of the
   *     input
   */
  public void run(InputStream in, Supplier<CompletionStage<?>> clientGone)
      throws IOException, InterruptedException {
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8))) {
      String line;
      while ((line = lines.readLine()) != null) {
        if (!line.isBlank()) {
          take(line);
        }
      }
      threads.shutdown();
      var unused = clientGone.get().thenRun(this::abandon);
      var unusedEither = threads.awaitTermination(LAST_REPLIES.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      abandon();
      http.shutdownNow();
    }
  }

  private void abandon() {
    cancelPending();
    threads.shutdownNow();
  }

  /**
   * Cancels the requests that are not answered yet, and sends no more. The endpoint does not take a
   * lost connection for a cancellation. Returns soon, even if the endpoint does not answer.
   */
  public void cancelPending() {
    CompletableFuture<?>[] sent =
        pending.close().stream()
            .map(id -> JSON.writeValueAsString(ClientMessage.cancellation(id)))
            .map(line -> http.sendAsync(request(line), HttpResponse.BodyHandlers.discarding()))
            .toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(sent).get(CANCELLATION.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      System.err.println(
          "assay: calls in progress may not have been cancelled: list_runs shows it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void take(String line) {
    ClientMessage message;
    try {
      message = new ClientMessage(JSON.readTree(line));
    } catch (JacksonException e) {
      write(ClientMessage.unreadable());
      return;
    }
    if (message.isCall("initialize")) {
      // Later messages carry the session and the version of its reply.
      pass(message, line);
    } else {
      threads.execute(() -> pass(message, line));
    }
  }

  private void pass(ClientMessage message, String line) {
    try {
      Optional<String> obstacle =
          message.isCall("tools/call") ? readiness.obstacle() : Optional.empty();
      if (obstacle.isPresent()) {
        write(message.toolError(obstacle.get()));
      } else {
        sendUnlessGone(message, line);
      }
    } catch (ConnectException e) {
      fail(message, "nothing answers at " + endpoint.uri() + ": start it with 'assay local'");
    } catch (IOException e) {
      fail(
          message,
          "the connection to "
              + endpoint.uri()
              + " broke; a call may have been executed: list_runs shows it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void sendUnlessGone(ClientMessage message, String line)
      throws IOException, InterruptedException {
    List<JsonNode> ids = message.cancellableIds();
    if (pending.add(ids)) {
      try {
        send(message, line);
      } finally {
        pending.remove(ids);
      }
    }
  }

  private void send(ClientMessage message, String line) throws IOException, InterruptedException {
    HttpResponse<InputStream> response =
        http.send(request(line), HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = response.body()) {
      if (response.statusCode() >= FIRST_ERROR) {
        refuse(message, response.statusCode(), body);
        return;
      }
      if (message.isCall("initialize")) {
        session = response.headers().firstValue(SESSION).orElse(null);
      }
      boolean answered = relay(message, response, body);
      if (!answered && message.isRequest()) {
        fail(message, endpoint.uri() + " sent no reply");
      }
    }
  }

  private HttpRequest request(String line) {
    HttpRequest.Builder request =
        endpoint
            .request("/mcp")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .POST(HttpRequest.BodyPublishers.ofString(line));
    String version = protocolVersion;
    if (version != null) {
      request.header(PROTOCOL_VERSION, version);
    }
    String id = session;
    if (id != null) {
      request.header(SESSION, id);
    }
    return request.build();
  }

  /** Writes all messages of a response; returns whether the reply was among them. */
  private boolean relay(ClientMessage message, HttpResponse<InputStream> response, InputStream body)
      throws IOException {
    boolean[] answered = {message.json().isArray()};
    String type = response.headers().firstValue("Content-Type").orElse("");
    if (type.startsWith("text/event-stream")) {
      EventStream.read(body, text -> answered[0] |= relay(message, text));
    } else {
      String text = new String(body.readAllBytes(), UTF_8);
      if (!text.isBlank()) {
        answered[0] |= relay(message, text);
      }
    }
    return answered[0];
  }

  private boolean relay(ClientMessage message, String text) {
    JsonNode received;
    try {
      received = JSON.readTree(text);
    } catch (JacksonException e) {
      System.err.println("assay: " + endpoint.uri() + " sent malformed JSON");
      return false;
    }
    if (message.isCall("initialize")) {
      String version = received.path("result").path("protocolVersion").asString("");
      protocolVersion = version.isEmpty() ? null : version;
    }
    write(received);
    return message.isAnsweredBy(received);
  }

  /** Forwards the error of the endpoint. */
  private void refuse(ClientMessage message, int status, InputStream body) throws IOException {
    ObjectNode error = errorOf(new String(body.readNBytes(MAX_REFUSAL_BYTES), UTF_8));
    if (error == null) {
      fail(message, endpoint.uri() + " answered " + status + " and is perhaps not Assay");
      return;
    }
    String words = error.path("message").asString("");
    if (status == UNAUTHORIZED) {
      words += Endpoint.KEY_HINT;
      error.put("message", words);
    }
    System.err.println("assay: " + endpoint.uri() + " answered " + status + ": " + words);
    if (message.isRequest()) {
      write(message.error(error));
    }
  }

  private static @Nullable ObjectNode errorOf(String body) {
    try {
      return JSON.readTree(body).path("error") instanceof ObjectNode error
              && error.path("message").isString()
          ? error
          : null;
    } catch (JacksonException e) {
      return null;
    }
  }

  /** A request gets a reply in any case; a notification gets none. */
  private void fail(ClientMessage message, String why) {
    System.err.println("assay: " + why);
    if (message.isRequest()) {
      write(message.error(ClientMessage.INTERNAL_ERROR, why));
    }
  }

  private synchronized void write(JsonNode message) {
    try {
      out.write((JSON.writeValueAsString(message) + "\n").getBytes(UTF_8));
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
