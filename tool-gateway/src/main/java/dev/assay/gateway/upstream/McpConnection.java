package dev.assay.gateway.upstream;

import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.gateway.definition.CleanText;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.policy.ErrorCode;
import dev.assay.gateway.upstream.UpstreamException.Sent;
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

  private final McpClientTransport transport;
  private final UpstreamHttpClient http;
  private final boolean isSse;
  private final ReplyMemory memory;
  private final Runnable onToolsChanged;
  private final AtomicLong lastId = new AtomicLong();
  private final Map<String, CompletableFuture<JSONRPCResponse>> pending = new ConcurrentHashMap<>();
  private volatile String version = VERSIONS.getFirst();
  private volatile String serverName = "";
  private volatile String serverVersion = "";
  private volatile boolean broken;

  private McpConnection(ServerAddress address, ReplyMemory memory, Runnable onToolsChanged) {
    this.memory = memory;
    this.onToolsChanged = onToolsChanged;
    this.isSse = address.protocol() == Protocol.Sse;
    this.http = new UpstreamHttpClient(this::streamEnded);
    this.transport = McpTransports.of(address, http);
  }

  /**
   * Opens a session.
   *
   * @throws UpstreamException if the server does not do its part within the time
   */
  static McpConnection open(
      ServerAddress address, ReplyMemory memory, Duration timeout, Runnable onToolsChanged)
      throws UpstreamException, InterruptedException {
    McpConnection connection = new McpConnection(address, memory, onToolsChanged);
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
    JsonNode result =
        request(
            McpSchema.METHOD_INITIALIZE,
            params,
            new Exchange(MAX_HANDSHAKE_BYTES, memory.share()),
            timeout);
    String chosen = result.path("protocolVersion").asString("");
    if (!VERSIONS.contains(chosen)) {
      throw new UpstreamException(
          ErrorCode.UPSTREAM_UNAVAILABLE,
          Sent.no,
          "The server speaks version "
              + CleanText.line(chosen, 32)
              + " of MCP, which is not supported.");
    }
    version = chosen;
    serverName = CleanText.line(result.at("/serverInfo/name").asString(""), MAX_NAME);
    serverVersion = CleanText.line(result.at("/serverInfo/version").asString(""), MAX_NAME);
    await(
        send(new JSONRPCNotification(McpSchema.METHOD_NOTIFICATION_INITIALIZED), "").toFuture(),
        timeout);
  }

  private static String ownVersion() {
    String version = McpConnection.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private static void await(CompletableFuture<?> future, Duration timeout)
      throws UpstreamException, InterruptedException {
    try {
      future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw UpstreamFailures.of(e, 0);
    } catch (TimeoutException e) {
      throw new UpstreamException(
          ErrorCode.UPSTREAM_TIMEOUT, Sent.no, "The server did not open a session in time.");
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
    if (broken) {
      throw UpstreamException.sessionLost(Sent.no);
    }
    String id = "call-" + lastId.incrementAndGet();
    CompletableFuture<JSONRPCResponse> response = new CompletableFuture<>();
    pending.put(id, response);
    http.register(id, exchange);
    exchange.watch(!isSse, response::completeExceptionally);
    var sending =
        send(new JSONRPCRequest(method, id, params), id)
            .subscribe(nothing -> {}, response::completeExceptionally);
    boolean replied = false;
    try {
      JSONRPCResponse reply = response.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      replied = true;
      return result(reply);
    } catch (ExecutionException e) {
      replied = true;
      UpstreamException failure = UpstreamFailures.of(e, exchange.status());
      broken |= UpstreamFailures.isLostSession(e);
      throw failure;
    } catch (TimeoutException e) {
      throw new UpstreamException(
          ErrorCode.UPSTREAM_TIMEOUT,
          exchange.status() > 0 ? Sent.yes : Sent.unknown,
          "The server did not reply within " + timeout.toMillis() + " ms.");
    } finally {
      pending.remove(id);
      if (replied) {
        exchange.end();
      } else {
        cancel(method, id);
        sending.dispose();
        exchange.abort();
      }
      http.forget(id);
    }
  }

  private void cancel(String method, String id) {
    if (method.equals(McpSchema.METHOD_INITIALIZE) || broken) {
      return;
    }
    var unused =
        send(
                new JSONRPCNotification(
                    "notifications/cancelled", Map.of("requestId", id, "reason", "not awaited")),
                "")
            .timeout(Duration.ofSeconds(5))
            .onErrorComplete()
            .subscribe();
  }

  private JsonNode result(JSONRPCResponse reply) throws UpstreamException {
    if (reply.error() != null) {
      String message = reply.error().message();
      throw new UpstreamException(
          ErrorCode.UPSTREAM_ERROR,
          Sent.yes,
          message == null || message.isBlank()
              ? "The server replied with an error."
              : CleanText.line(message, MAX_ERROR));
    }
    return Json.MAPPER.valueToTree(reply.result());
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
                        exchange.isEmpty()
                            ? McpTransportContext.EMPTY
                            : McpTransportContext.create(
                                Map.of(UpstreamHttpClient.EXCHANGE_HEADER, exchange))));
  }

  private void receive(@Nullable JSONRPCMessage message) {
    switch (message) {
      case JSONRPCResponse response -> {
        // A response to anything else is ignored.
        CompletableFuture<JSONRPCResponse> waiting = pending.get(String.valueOf(response.id()));
        if (waiting != null) {
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
    var unused = send(response, "").onErrorComplete().subscribe();
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
