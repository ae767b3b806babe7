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
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Forwards messages of MCP's stdio transport, one per line, to an endpoint of its HTTP transport,
 * and writes the replies and notifications to a stream. Messages are forwarded concurrently. What
 * can be answered before the endpoint serves is answered at once.
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

  private final McpService service;
  private final OutputStream out;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Lock connecting = new ReentrantLock();
  private @Nullable HttpClient http;
  private final PendingRequests pending = new PendingRequests();
  private final Lock handshaking = new ReentrantLock();

  /** The {@code initialize} that was answered early, which the endpoint has not had yet. */
  private volatile @Nullable String handshake;

  private volatile @Nullable Endpoint endpoint;
  private volatile @Nullable String protocolVersion;
  private volatile @Nullable String session;

  /**
   * A bridge.
   *
   * @param out gets MCP messages and nothing else, in UTF-8
   */
  public McpBridge(McpService service, OutputStream out) {
    this.service = service;
    this.out = out;
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
          service.start();
        }
      }
      threads.shutdown();
      var unused = clientGone.get().thenRun(this::abandon);
      var unusedEither = threads.awaitTermination(LAST_REPLIES.toMillis(), TimeUnit.MILLISECONDS);
    } finally {
      abandon();
      if (endpoint != null) {
        http().shutdownNow();
      }
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
    List<JsonNode> sent = pending.close();
    Endpoint known = endpoint;
    if (known == null) {
      return;
    }
    CompletableFuture<?>[] cancellations =
        sent.stream()
            .map(id -> JSON.writeValueAsString(ClientMessage.cancellation(id)))
            .map(
                line ->
                    http().sendAsync(request(known, line), HttpResponse.BodyHandlers.discarding()))
            .toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(cancellations).get(CANCELLATION.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      System.err.println(
          "assay: calls in progress may not have been cancelled: list_runs shows it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Created when it is first needed: that takes longer than an early reply. */
  private HttpClient http() {
    connecting.lock();
    try {
      if (http == null) {
        http = Endpoint.newHttpClient();
      }
      return http;
    } finally {
      connecting.unlock();
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
    // Before the next line is read, which may cancel it.
    pending.add(message.cancellableIds());
    if (message.isCall("initialize")) {
      // Later messages carry the session and the version of its reply.
      pass(message, line);
    } else if (isOfUse(message)) {
      threads.execute(() -> pass(message, line));
    }
  }

  /** A cancellation is of none to an endpoint that has not had the request, or has answered it. */
  private boolean isOfUse(ClientMessage message) {
    return message
        .cancelledId()
        .map(id -> pending.remove(id) == PendingRequests.State.SENT)
        .orElse(true);
  }

  private void pass(ClientMessage message, String line) {
    try {
      Optional<JsonNode> early = message.isRequest() ? service.earlyReply(line) : Optional.empty();
      if (early.isPresent()) {
        answerEarly(message, line, early.get());
        return;
      }
      Optional<String> obstacle =
          message.isCall("tools/call") ? service.obstacle() : Optional.empty();
      if (obstacle.isPresent()) {
        reply(message, message.toolError(obstacle.get()));
      } else if (message.isRequest() || service.serves()) {
        deliver(message, line);
      }
    } catch (McpService.NotStartedException e) {
      reply(message, message.error(ClientMessage.INTERNAL_ERROR, String.valueOf(e.getMessage())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void answerEarly(ClientMessage message, String line, JsonNode reply) {
    if (message.isCall("initialize")) {
      protocolVersion = versionOf(reply);
      handshake = line;
    }
    reply(message, reply);
  }

  private void deliver(ClientMessage message, String line)
      throws McpService.NotStartedException, InterruptedException {
    Endpoint to = service.endpoint();
    endpoint = to;
    try {
      shakeHands(to);
      if (pending.send(message.cancellableIds())) {
        send(to, message, line);
      }
    } catch (ConnectException e) {
      fail(message, "nothing answers at " + to.uri() + ": start it with 'assay local'");
    } catch (IOException e) {
      fail(
          message,
          "the connection to "
              + to.uri()
              + " broke; a call may have been executed: list_runs shows it");
    } finally {
      message.cancellableIds().forEach(pending::remove);
    }
  }

  /** The endpoint tells the client's requests from those of others by the session. */
  private void shakeHands(Endpoint to) throws IOException, InterruptedException {
    handshaking.lock();
    try {
      String line = handshake;
      if (line != null) {
        HttpResponse<Void> response =
            http().send(request(to, line), HttpResponse.BodyHandlers.discarding());
        session = response.headers().firstValue(SESSION).orElse(null);
        handshake = null;
      }
    } finally {
      handshaking.unlock();
    }
  }

  private void send(Endpoint to, ClientMessage message, String line)
      throws IOException, InterruptedException {
    HttpResponse<InputStream> response =
        http().send(request(to, line), HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = response.body()) {
      if (response.statusCode() >= FIRST_ERROR) {
        refuse(to, message, response.statusCode(), body);
        return;
      }
      if (message.isCall("initialize")) {
        session = response.headers().firstValue(SESSION).orElse(null);
      }
      boolean answered = relay(to, message, response, body);
      if (!answered && message.isRequest()) {
        fail(message, to.uri() + " sent no reply");
      }
    }
  }

  private HttpRequest request(Endpoint to, String line) {
    HttpRequest.Builder request =
        to.request("/mcp")
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
  private boolean relay(
      Endpoint to, ClientMessage message, HttpResponse<InputStream> response, InputStream body)
      throws IOException {
    boolean[] answered = {message.json().isArray()};
    String type = response.headers().firstValue("Content-Type").orElse("");
    if (type.startsWith("text/event-stream")) {
      EventStream.read(body, text -> answered[0] |= relay(to, message, text));
    } else {
      String text = new String(body.readAllBytes(), UTF_8);
      if (!text.isBlank()) {
        answered[0] |= relay(to, message, text);
      }
    }
    return answered[0];
  }

  private boolean relay(Endpoint to, ClientMessage message, String text) {
    JsonNode received;
    try {
      received = JSON.readTree(text);
    } catch (JacksonException e) {
      System.err.println("assay: " + to.uri() + " sent malformed JSON");
      return false;
    }
    if (message.isCall("initialize")) {
      protocolVersion = versionOf(received);
    }
    boolean answers = message.isAnsweredBy(received);
    if (answers) {
      reply(message, received);
    } else if (isAwaited(message)) {
      write(received);
    }
    return answers;
  }

  private static @Nullable String versionOf(JsonNode reply) {
    String version = reply.path("result").path("protocolVersion").asString("");
    return version.isEmpty() ? null : version;
  }

  /** Forwards the error of the endpoint. */
  private void refuse(Endpoint to, ClientMessage message, int status, InputStream body)
      throws IOException {
    ObjectNode error = errorOf(new String(body.readNBytes(MAX_REFUSAL_BYTES), UTF_8));
    if (error == null) {
      fail(message, to.uri() + " answered " + status + " and is perhaps not Assay");
      return;
    }
    String words = error.path("message").asString("");
    if (status == UNAUTHORIZED) {
      words += Endpoint.KEY_HINT;
      error.put("message", words);
    }
    System.err.println("assay: " + to.uri() + " answered " + status + ": " + words);
    reply(message, message.error(error));
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

  /** A request gets a reply in any case, unless it was cancelled; a notification gets none. */
  private void fail(ClientMessage message, String why) {
    if (isAwaited(message)) {
      System.err.println("assay: " + why);
    }
    reply(message, message.error(ClientMessage.INTERNAL_ERROR, why));
  }

  /**
   * Writes the reply to a request. A request that was cancelled gets none any more: clients report
   * an error where they get a reply that they do not wait for.
   */
  private void reply(ClientMessage message, JsonNode reply) {
    List<JsonNode> ids = message.cancellableIds();
    List<PendingRequests.State> states = ids.stream().map(pending::remove).toList();
    boolean wasCancelled =
        !ids.isEmpty() && states.stream().allMatch(PendingRequests.State.UNKNOWN::equals);
    if (message.isRequest() && !wasCancelled) {
      write(reply);
    }
  }

  /** Whether the client wants to hear of a message still. */
  private boolean isAwaited(ClientMessage message) {
    List<JsonNode> ids = message.cancellableIds();
    return ids.isEmpty() || ids.stream().anyMatch(pending::has);
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
