package dev.assay.gateway.upstream;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.result.Scrub;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import tools.jackson.databind.JsonNode;

/**
 * A session of MCP, over a transport of the SDK. Requests are matched with responses here, and not
 * by the SDK's client, which cannot cancel one.
 *
 * <p>Nothing is offered to the server: what it asks for (sampling, roots, elicitation) is refused.
 */
final class McpConnection implements AutoCloseable {
  private static final List<String> VERSIONS =
      List.of("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05");

  private static final int MAX_HANDSHAKE_BYTES = 1 << 20;
  private static final int METHOD_NOT_FOUND = -32601;
  private static final int MAX_NAME = 128;
  private static final int MAX_ERROR = 4096;

  /** Of responses to what has no reply. */
  private static final int MAX_NOTICE_BYTES = 16 << 10;

  private static final Duration NOTICE_TIMEOUT = Duration.ofSeconds(5);

  /** How many requests of the server are being replied to at once. */
  private static final int MAX_REPLIES = 4;

  private final McpClientTransport transport;
  private final UpstreamHttpClient http;
  private final String host;
  private final boolean isSse;
  private final Scrub scrub;
  private final ReplyMemory.Part memory;
  private final Runnable onToolsChanged;
  private final AtomicLong lastId = new AtomicLong();
  private final Map<String, CompletableFuture<JSONRPCResponse>> pending = new ConcurrentHashMap<>();
  private volatile String version = VERSIONS.getFirst();
  private volatile String serverName = "";
  private volatile String serverVersion = "";
  private final Semaphore replies = new Semaphore(MAX_REPLIES);
  private volatile boolean broken;
  private volatile boolean doubtful;
  private volatile boolean retired;

  private McpConnection(
      ServerAddress address, Scrub scrub, ReplyMemory.Part memory, Runnable onToolsChanged) {
    this.scrub = scrub;
    this.memory = memory;
    this.onToolsChanged = onToolsChanged;
    this.host = address.url().getHost();
    this.isSse = address.protocol() == Protocol.Sse;
    this.http = new UpstreamHttpClient(memory, this::streamEnded);
    this.transport = McpTransports.of(address, http);
  }

  /**
   * Opens a session.
   *
   * @throws UpstreamException if the server does not do its part within the time
   */
  static McpConnection open(
      ServerAddress address,
      Scrub scrub,
      ReplyMemory.Part memory,
      Duration timeout,
      Runnable onToolsChanged)
      throws UpstreamException, InterruptedException {
    McpConnection connection = new McpConnection(address, scrub, memory, onToolsChanged);
    try {
      connection.handshake(timeout);
      return connection;
    } catch (UpstreamException | InterruptedException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  private void handshake(Duration timeout) throws UpstreamException, InterruptedException {
    await(transport.connect(messages -> messages.doOnNext(this::receive)).toFuture(), timeout);
    Map<String, Object> params = new LinkedHashMap<>();
    params.put("protocolVersion", VERSIONS.getFirst());
    params.put("capabilities", Map.of());
    params.put("clientInfo", Map.of("name", "assay-tool-gateway", "version", ownVersion()));
    JsonNode result;
    try (ReplyMemory.Share share = memory.share()) {
      result =
          request(
              McpSchema.METHOD_INITIALIZE,
              params,
              new Exchange(MAX_HANDSHAKE_BYTES, share),
              timeout);
    }
    String chosen = result.path("protocolVersion").asString("");
    if (!VERSIONS.contains(chosen)) {
      throw new UpstreamException(
          CallCode.UPSTREAM_UNAVAILABLE,
          Sent.NO,
          "The server speaks a version of MCP that is not supported.");
    }
    version = chosen;
    serverName = scrub.line(result.at("/serverInfo/name").asString(""), MAX_NAME);
    serverVersion = scrub.line(result.at("/serverInfo/version").asString(""), MAX_NAME);
    await(
        post(new JSONRPCNotification(McpSchema.METHOD_NOTIFICATION_INITIALIZED)).toFuture(),
        timeout);
  }

  private static String ownVersion() {
    String version = McpConnection.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private void await(CompletableFuture<?> future, Duration timeout)
      throws UpstreamException, InterruptedException {
    try {
      future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw UpstreamFailures.of(host, e, 0, false);
    } catch (TimeoutException e) {
      throw new UpstreamException(
          CallCode.UPSTREAM_TIMEOUT, Sent.NO, "The server did not open a session in time.");
    } finally {
      future.cancel(true);
    }
  }

  /** What the server calls itself; may be empty. */
  String serverName() {
    return serverName;
  }

  /** The version that it says it has; may be empty. */
  String serverVersion() {
    return serverVersion;
  }

  /** Whether the server has replied as if it did not know the session. */
  boolean isDoubtful() {
    return doubtful;
  }

  /** Whether it can no longer be used. */
  boolean isBroken() {
    return broken;
  }

  /**
   * Sends a request and waits for its result. Interrupted, or after the timeout, it cancels the
   * request at the server and closes the exchange.
   *
   * @throws UpstreamException for every other end than a result
   */
  JsonNode request(String method, Object params, Exchange exchange, Duration timeout)
      throws UpstreamException, InterruptedException {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new UpstreamException(
          CallCode.UPSTREAM_TIMEOUT, Sent.NO, "There was no time left for the request.");
    }
    String id = "call-" + lastId.incrementAndGet();
    CompletableFuture<JSONRPCResponse> response = new CompletableFuture<>();
    pending.put(id, response);
    if (broken) {
      // Looked at after it is pending, so that retire() sees one or the other.
      ended(id);
      throw UpstreamException.sessionLost(Sent.NO);
    }
    http.register(id, exchange);
    exchange.watch(!isSse, response);
    var sending =
        send(new JSONRPCRequest(method, id, params), id)
            .subscribe(nothing -> {}, response::completeExceptionally);
    boolean replied = false;
    try {
      JSONRPCResponse reply = response.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      replied = true;
      return result(method, reply);
    } catch (ExecutionException e) {
      replied = true;
      UpstreamException failure =
          UpstreamFailures.of(host, e, exchange.status(), exchange.wasSent());
      doubtful |= UpstreamFailures.isDoubtfulSession(e);
      broken |= UpstreamFailures.isLostSession(e);
      throw failure;
    } catch (TimeoutException e) {
      throw new UpstreamException(
          CallCode.UPSTREAM_TIMEOUT,
          exchange.status() > 0 ? Sent.YES : Sent.UNKNOWN,
          "The server did not reply within " + timeout.toMillis() + " ms.");
    } finally {
      if (replied) {
        exchange.end();
      } else {
        cancel(method, id);
        sending.dispose();
        exchange.abort();
      }
      http.forget(id);
      ended(id);
    }
  }

  private void ended(String id) {
    pending.remove(id);
    if (retired && pending.isEmpty()) {
      close();
    }
  }

  private void cancel(String method, String id) {
    if (method.equals(McpSchema.METHOD_INITIALIZE)) {
      return;
    }
    var unused =
        post(new JSONRPCNotification(
                "notifications/cancelled", Map.of("requestId", id, "reason", "not awaited")))
            .onErrorComplete()
            .subscribe();
  }

  private JsonNode result(String method, JSONRPCResponse reply) throws UpstreamException {
    if (reply.error() != null) {
      // Only a tool that was approved and called may say something.
      String message = method.equals(McpSchema.METHOD_TOOLS_CALL) ? reply.error().message() : null;
      throw new UpstreamException(
          CallCode.UPSTREAM_ERROR,
          Sent.YES,
          message == null || message.isBlank()
              ? "The server replied to " + method + " with an error."
              : scrub.line(message, MAX_ERROR));
    }
    return Json.MAPPER.valueToTree(reply.result());
  }

  /** Sends what has no reply: it is sent within seconds, and its response is not read far. */
  private Mono<Void> post(JSONRPCMessage message) {
    return Mono.defer(
        () -> {
          String id = "notice-" + lastId.incrementAndGet();
          ReplyMemory.Share share = memory.share();
          Exchange exchange = new Exchange(MAX_NOTICE_BYTES, share);
          http.register(id, exchange);
          return send(message, id)
              .timeout(NOTICE_TIMEOUT)
              .doFinally(
                  end -> {
                    exchange.end();
                    http.forget(id);
                    share.close();
                  });
        });
  }

  private Mono<Void> send(JSONRPCMessage message, String exchange) {
    return transport
        .sendMessage(message)
        .contextWrite(
            context ->
                context
                    .put(McpAsyncClient.NEGOTIATED_PROTOCOL_VERSION, version)
                    .put(
                        McpTransportContext.KEY,
                        McpTransportContext.create(
                            Map.of(UpstreamHttpClient.EXCHANGE_HEADER, exchange))));
  }

  private void receive(@Nullable JSONRPCMessage message) {
    switch (message) {
      case JSONRPCResponse response -> {
        // A response to anything else is ignored.
        String id = String.valueOf(response.id());
        CompletableFuture<JSONRPCResponse> waiting = pending.get(id);
        if (waiting != null && !waiting.isDone()) {
          // Before whoever waits may be done with it.
          http.replied(id);
          waiting.complete(response);
        }
      }
      case JSONRPCRequest request ->
          reply(
              request.method().equals(McpSchema.METHOD_PING)
                  ? JSONRPCResponse.result(request.id(), Map.of())
                  : JSONRPCResponse.error(
                      request.id(),
                      new JSONRPCResponse.JSONRPCError(
                          METHOD_NOT_FOUND, "This client offers nothing.")));
      case JSONRPCNotification notification -> {
        if (notification.method().equals(McpSchema.METHOD_NOTIFICATION_TOOLS_LIST_CHANGED)) {
          onToolsChanged.run();
        }
      }
      case null, default -> {}
    }
  }

  private void reply(JSONRPCResponse response) {
    // A server that asks faster than it takes replies gets none to the rest.
    if (replies.tryAcquire()) {
      var unused = post(response).doFinally(end -> replies.release()).onErrorComplete().subscribe();
    }
  }

  private void streamEnded() {
    // Without its stream, a connection by SSE gets no more responses.
    if (isSse) {
      broken = true;
      pending
          .values()
          .forEach(
              waiting ->
                  waiting.completeExceptionally(
                      new UpstreamFailures.LostConnectionException(
                          "the server closed its stream")));
    }
  }

  /** Takes no more requests, and is closed once the last one has ended. */
  void retire() {
    retired = true;
    broken = true;
    if (pending.isEmpty()) {
      close();
    }
  }

  @Override
  public void close() {
    broken = true;
    var unused =
        transport
            .closeGracefully()
            .timeout(Duration.ofSeconds(2))
            .onErrorComplete()
            .doFinally(end -> http.abort())
            .subscribe();
  }
}
