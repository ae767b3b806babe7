package dev.assay.gateway.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.gateway.call.BusyException;
import dev.assay.gateway.call.CallReply;
import dev.assay.gateway.call.CallRequest;
import dev.assay.gateway.call.CallRequest.InvalidRequestException;
import dev.assay.gateway.call.CallTable;
import dev.assay.gateway.call.Calls;
import dev.assay.gateway.call.ToolServerSource;
import dev.assay.gateway.config.GatewayConfig;
import dev.assay.gateway.config.GatewayConfig.Tls;
import dev.assay.gateway.definition.Json;
import dev.assay.gateway.policy.Refusal;
import dev.assay.gateway.policy.ServerPolicy;
import dev.assay.gateway.upstream.RefusedCallException;
import dev.assay.gateway.upstream.ToolListing;
import dev.assay.gateway.upstream.UpstreamException;
import dev.assay.gateway.upstream.Upstreams;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the operator asks of the gateway, with a token issued for this endpoint:
 *
 * <ul>
 *   <li>{@code GET /v1/replica}: the id of this process, {@code {instance}}.
 *   <li>{@code PUT /v1/runs/RUN_UID/calls/N}: makes a call, unless it has been made, and returns
 *       its outcome. 409 if N belongs to another call; 421 unless the header Assay-Gateway-Instance
 *       names this process; 503 if nothing was sent because there are too many calls, or this
 *       replica is starting or stopping; 500 if it stops before the call has ended.
 *   <li>{@code DELETE /v1/runs/RUN_UID}: cancels the calls of a run, closes its sessions and
 *       forgets its outcomes. 204.
 *   <li>{@code GET /v1/servers/NAMESPACE/NAME/tools?uid=UID&generation=N}: what the server lists,
 *       or {@code {code, message}}. 404 unless this process knows the tool server with that UID, at
 *       that generation or a later one; without the query, any tool server with that name.
 * </ul>
 */
public final class GatewayEndpoint implements AutoCloseable {
  /** The process that a call is for. */
  public static final String INSTANCE_HEADER = "Assay-Gateway-Instance";

  private static final Logger LOG = LoggerFactory.getLogger(GatewayEndpoint.class);
  private static final String INSTANCE = "instance";
  private static final String CODE = "code";
  private static final String MESSAGE = "message";
  private static final int BACKLOG = 512;
  private static final int MAX_BODY = 1 << 20;

  private static final Pattern CALL =
      Pattern.compile("/v1/runs/([A-Za-z0-9][-A-Za-z0-9]{0,62})/calls/([1-9][0-9]{0,8})");
  private static final Pattern RUN = Pattern.compile("/v1/runs/([A-Za-z0-9][-A-Za-z0-9]{0,62})");
  private static final Pattern TOOLS =
      Pattern.compile("/v1/servers/([a-z0-9][-a-z0-9]{0,62})/([a-z0-9][-a-z0-9]{0,62})/tools");

  private static final Pattern OBJECT =
      Pattern.compile("uid=([-A-Za-z0-9]{1,63})&generation=([0-9]{1,18})");

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final String instance = UUID.randomUUID().toString();
  private final Predicate<@Nullable String> callers;
  private final ToolServerSource servers;
  private final Upstreams upstreams;
  private final Calls calls;
  private final CallTable table;
  private volatile boolean draining;

  static {
    // Else a reply in two segments waits for the acknowledgement of the first.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  /** A reply: its status and its body, which is written as JSON; null for none. */
  private record Reply(int status, @Nullable Object body) {}

  /**
   * An endpoint that is bound and does not serve yet.
   *
   * @param callers whether an Authorization header is accepted
   */
  public GatewayEndpoint(
      GatewayConfig config,
      Predicate<@Nullable String> callers,
      ToolServerSource servers,
      Upstreams upstreams,
      Calls calls,
      CallTable table)
      throws IOException {
    this.callers = callers;
    this.servers = servers;
    this.upstreams = upstreams;
    this.calls = calls;
    this.table = table;
    InetSocketAddress address = config.listenAddress(config.port());
    Tls tls = config.tls();
    if (tls == null) {
      this.server = HttpServer.create(address, BACKLOG);
    } else {
      HttpsServer secure = HttpsServer.create(address, BACKLOG);
      secure.setHttpsConfigurator(new HttpsConfigurator(ServerTls.context(tls)));
      this.server = secure;
    }
    server.setExecutor(threads);
    server.createContext("/", this::handle);
  }

  /** Starts to serve. */
  public void start() {
    server.start();
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return server.getAddress();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Reply reply = serve(exchange);
      if (reply.body() == null) {
        exchange.sendResponseHeaders(reply.status(), -1);
        return;
      }
      CountedBytes length = new CountedBytes();
      Json.MAPPER.writeValue(length, reply.body());
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(reply.status(), length.count());
      // In pieces: the server keeps a buffer of twice the longest with each connection.
      Json.MAPPER.writeValue(exchange.getResponseBody(), reply.body());
    } catch (RuntimeException e) {
      LOG.warn("A request failed: {}", e.toString());
    }
  }

  private Reply serve(HttpExchange exchange) throws IOException {
    try {
      if (!callers.test(exchange.getRequestHeaders().getFirst("Authorization"))) {
        return new Reply(401, null);
      }
      return route(exchange);
    } catch (KubernetesClientException e) {
      LOG.warn("The API server failed: {}", e.getMessage());
      return busy("The API server does not answer.");
    } catch (BusyException e) {
      return busy(String.valueOf(e.getMessage()));
    } catch (InvalidRequestException e) {
      return new Reply(
          400, Map.of(CODE, "InvalidRequest", MESSAGE, String.valueOf(e.getMessage())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return busy("The gateway is stopping.");
    }
  }

  private Reply route(HttpExchange exchange)
      throws IOException, InvalidRequestException, InterruptedException {
    String path = exchange.getRequestURI().getRawPath();
    String method = exchange.getRequestMethod();
    Matcher call = CALL.matcher(path);
    if (call.matches()) {
      return method.equals("PUT")
          ? call(exchange, call.group(1), Integer.parseInt(call.group(2)))
          : new Reply(405, null);
    }
    Matcher run = RUN.matcher(path);
    if (run.matches()) {
      if (!method.equals("DELETE")) {
        return new Reply(405, null);
      }
      calls.close(run.group(1));
      return new Reply(204, null);
    }
    Matcher tools = TOOLS.matcher(path);
    if (tools.matches()) {
      return method.equals("GET")
          ? tools(tools.group(1), tools.group(2), exchange.getRequestURI().getRawQuery())
          : new Reply(405, null);
    }
    return path.equals("/v1/replica") && method.equals("GET")
        ? new Reply(200, Map.of(INSTANCE, instance))
        : new Reply(404, null);
  }

  private Reply call(HttpExchange exchange, String run, int number)
      throws IOException, InvalidRequestException {
    if (!instance.equals(exchange.getRequestHeaders().getFirst(INSTANCE_HEADER))) {
      return new Reply(421, Map.of(INSTANCE, instance));
    }
    if (!servers.isRead()) {
      // Not that there is no such server: the operator asks another replica.
      return busy("The gateway is starting.");
    }
    byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
    if (body.length > MAX_BODY) {
      return new Reply(413, null);
    }
    Optional<CompletableFuture<CallReply>> outcome =
        calls.call(run, number, CallRequest.parse(body));
    if (outcome.isEmpty()) {
      return new Reply(
          409, Map.of(CODE, "OtherCall", MESSAGE, "Call " + number + " of the run is another."));
    }
    try {
      return new Reply(200, outcome.get().get());
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      // Not busy, by which the operator knows that nothing was sent: the call is being made.
      Thread.currentThread().interrupt();
      return new Reply(
          500, Map.of(CODE, "Stopping", MESSAGE, "The gateway stops before the call has ended."));
    }
  }

  private static Reply busy(String message) {
    return new Reply(503, Map.of(CODE, "Busy", MESSAGE, message));
  }

  private Reply tools(String namespace, String name, @Nullable String query)
      throws InvalidRequestException, InterruptedException {
    Optional<ToolServer> found = servers.find(namespace, name).filter(isAsked(query));
    if (found.isEmpty()) {
      return error(ServerPolicy.ofServer(name, Optional.empty()).orElseThrow());
    }
    try {
      ToolListing listing = upstreams.tools(found.get());
      Map<String, Object> body = new LinkedHashMap<>();
      body.put("server", Map.of("name", listing.serverName(), "version", listing.serverVersion()));
      body.put("tools", listing.tools().all());
      return new Reply(200, body);
    } catch (RefusedCallException e) {
      return error(e.refusal());
    } catch (UpstreamException e) {
      return error(new Refusal(e.code(), e.detail()));
    }
  }

  /** Whether a tool server is the object that a query names: not an earlier one with its name. */
  private static Predicate<ToolServer> isAsked(@Nullable String query)
      throws InvalidRequestException {
    if (query == null) {
      return server -> true;
    }
    Matcher object = OBJECT.matcher(query);
    if (!object.matches()) {
      throw new InvalidRequestException("the query is not uid=UID&generation=N");
    }
    String uid = object.group(1);
    long generation = Long.parseLong(object.group(2));
    return server ->
        uid.equals(server.getMetadata().getUid())
            && server.getMetadata().getGeneration() >= generation;
  }

  private static Reply error(Refusal refusal) {
    int status = refusal.code() == CallCode.SERVER_NOT_FOUND ? 404 : 200;
    return new Reply(status, Map.of(CODE, refusal.code(), MESSAGE, refusal.message()));
  }

  /** Takes no more calls, and waits for those that are being made. */
  public void drain(Duration atMost) throws InterruptedException {
    draining = true;
    table.stop();
    long end = System.nanoTime() + atMost.toNanos();
    while (table.inFlight() > 0 && System.nanoTime() < end) {
      Thread.sleep(50);
    }
  }

  /** Whether it takes calls. */
  public boolean isDraining() {
    return draining;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
