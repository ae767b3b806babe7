package dev.assay.operator.tool;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.api.v1alpha1.ToolPermission;
import dev.assay.operator.config.OperatorConfig.ToolGatewayConfig;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client of the tool gateway: TLS, a token for its audience, and limits of what it reads and how
 * long that takes.
 */
final class HttpGatewayClient implements GatewayClient, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpGatewayClient.class);
  private static final String INSTANCE = "Assay-Gateway-Instance";

  /**
   * Includes the TLS handshake, each step of which may take a second on a replica that is short of
   * CPU time.
   */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** For the TCP handshake alone, which a kernel completes however busy the replica is. */
  private static final Duration REACH_TIMEOUT = Duration.ofSeconds(2);

  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);

  /** A server that was not asked before has to be connected to first. */
  private static final Duration LIST_TIMEOUT = Duration.ofSeconds(60);

  /** How much later than the call itself its response may come. */
  private static final Duration SLACK = Duration.ofSeconds(5);

  /** How long the body of a response may take. */
  private static final Duration BODY_TIMEOUT = Duration.ofSeconds(30);

  private static final int MAX_ANSWER_BYTES = 16 * 1024;
  private static final int MAX_LIST_BYTES = 32 << 20;

  /** An outcome has its result twice, in base64. */
  private static final int REPLY_BYTES_PER_RESULT_BYTE = 4;

  private static final int REPLY_BYTES_BESIDE_RESULT = 64 * 1024;
  private static final long MEMORY_OF_OUTCOMES = 64L << 20;
  private static final long MEMORY_OF_LISTS = 64L << 20;
  private static final long RESOLVE_SECONDS = 5;
  private static final int HTTP_OK = 200;
  private static final int HTTP_CLIENT_ERROR = 4;
  private static final int HTTP_CONFLICT = 409;
  private static final int HTTP_MISDIRECTED = 421;
  private static final int HTTP_UNAVAILABLE = 503;
  private static final String BUSY = "Busy";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Finds the addresses of a host. */
  interface Resolver {
    List<String> resolve(String host) throws UnknownHostException;
  }

  private final String scheme;
  private final String host;
  private final int port;
  private final TokenFile token;
  private final Resolver resolver;
  private final ReplyMemory outcomes = new ReplyMemory(MEMORY_OF_OUTCOMES);

  /** Apart from that of outcomes, because a list keeps its memory while it is stored. */
  private final ReplyMemory lists = new ReplyMemory(MEMORY_OF_LISTS);

  private final Map<String, Replica> replicas = new ConcurrentHashMap<>();
  private volatile List<String> resolved = List.of();
  private boolean failing;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("tool-gateway").factory());
  private final HttpClient http;

  HttpGatewayClient(ToolGatewayConfig config) {
    this(
        config,
        host ->
            Arrays.stream(InetAddress.getAllByName(host))
                .map(InetAddress::getHostAddress)
                .sorted()
                .toList());
  }

  HttpGatewayClient(ToolGatewayConfig config, Resolver resolver) {
    String caFile = config.caFile();
    this.scheme = caFile == null ? "http" : "https";
    this.host = config.host();
    this.port = config.port();
    this.token = new TokenFile(Path.of(config.tokenFile()), System::nanoTime);
    this.resolver = resolver;
    timer.setRemoveOnCancelPolicy(true);
    HttpClient.Builder client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIMEOUT)
            .executor(threads);
    if (caFile != null) {
      client.sslContext(new GatewayTrust(Path.of(caFile), config.host()).context());
    }
    this.http = client.build();
  }

  /** Starts to resolve the name of the gateway, again and again. */
  void start() {
    var unused =
        timer.scheduleWithFixedDelay(
            () -> threads.execute(this::resolve), 0, RESOLVE_SECONDS, TimeUnit.SECONDS);
  }

  /** Addresses that cannot be resolved now are those of before: each is asked before it counts. */
  synchronized void resolve() {
    try {
      resolved = resolver.resolve(host);
      failing = false;
    } catch (UnknownHostException | RuntimeException e) {
      if (!failing) {
        failing = true;
        LOG.warn("The tool gateway {} cannot be resolved: {}", host, e.toString());
      }
    }
  }

  @Override
  public List<String> addresses(String key) {
    if (resolved.isEmpty()) {
      resolve();
    }
    return Rendezvous.order(key, resolved);
  }

  @Override
  public Replica replica(String address) throws NotAcceptedException, InterruptedException {
    Replica known = replicas.get(address);
    if (known != null) {
      return known;
    }
    try {
      reach(address);
      Reply reply = send(request(address, "/v1/replica", ANSWER_TIMEOUT).GET(), MAX_ANSWER_BYTES);
      Replica found =
          new Replica(
              address,
              GatewayReplies.instance(reply.body())
                  .filter(unused -> reply.status() == HTTP_OK)
                  .orElseThrow(() -> new IOException("HTTP " + reply.status())));
      replicas.put(address, found);
      return found;
    } catch (IOException e) {
      throw new NotAcceptedException(text(e));
    }
  }

  /** Fails early if nothing has the address anymore, such as after the loss of a node. */
  private void reach(String address) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, port), (int) REACH_TIMEOUT.toMillis());
    }
  }

  @Override
  public Outcome call(Replica replica, GatewayCall call, Duration atMost)
      throws NotAcceptedException, ReplicaGoneException, IOException, InterruptedException {
    long limit =
        (long) REPLY_BYTES_PER_RESULT_BYTE * call.resultBytes() + REPLY_BYTES_BESIDE_RESULT;
    HttpRequest.Builder request =
        request(replica.address(), path(call), atMost.plus(SLACK))
            .header(INSTANCE, replica.instance())
            .header("Content-Type", "application/json")
            .PUT(BodyPublishers.ofByteArray(body(call, atMost)));
    HttpResponse<InputStream> response;
    try {
      response = exchange(request.build());
    } catch (ConnectException | HttpConnectTimeoutException e) {
      replicas.remove(replica.address(), replica);
      throw new NotAcceptedException(text(e));
    } catch (SSLHandshakeException e) {
      // An alert may come after the request; a certificate is checked before it.
      if (isUntrusted(e)) {
        throw new NotAcceptedException(text(e), /* passes= */ false);
      }
      throw e;
    }
    long length = length(response, limit);
    if (length > limit) {
      response.body().close();
      return Outcome.error(
          CallCode.RESULT_TOO_LARGE,
          "The tool returned more than the %d bytes that a call may return; ask it for less"
              .formatted(call.resultBytes()),
          Sent.YES);
    }
    try (InputStream reply = response.body();
        ReplyMemory.Part _ = outcomes.take(replica.address(), length)) {
      return outcome(replica, response.statusCode(), read(reply, length));
    }
  }

  private static boolean isUntrusted(SSLHandshakeException failure) {
    return Stream.<Throwable>iterate(failure, Objects::nonNull, Throwable::getCause)
        .anyMatch(CertificateException.class::isInstance);
  }

  private Outcome outcome(Replica replica, int status, byte[] body)
      throws NotAcceptedException, ReplicaGoneException, IOException {
    switch (status) {
      case HTTP_OK -> {
        return GatewayReplies.outcome(body);
      }
      case HTTP_MISDIRECTED -> {
        replicas.remove(replica.address(), replica);
        throw new ReplicaGoneException();
      }
      case HTTP_CONFLICT ->
          throw new IOException("the tool gateway has another call with this number");
      case HTTP_UNAVAILABLE -> {
        if (BUSY.equals(GatewayReplies.code(body))) {
          throw new NotAcceptedException("the tool gateway is busy");
        }
      }
      default -> {
        if (status / 100 == HTTP_CLIENT_ERROR) {
          throw new NotAcceptedException(
              "the tool gateway refused it: HTTP " + status, /* passes= */ false);
        }
      }
    }
    throw new IOException("HTTP " + status + " " + GatewayReplies.code(body));
  }

  private static long length(HttpResponse<?> response, long otherwise) {
    long length = response.headers().firstValueAsLong("Content-Length").orElse(otherwise);
    // A negative one has no meaning, and must not pass as short.
    return length < 0 ? otherwise : length;
  }

  private static String path(GatewayCall call) {
    return "/v1/runs/%s/calls/%d".formatted(call.runUid(), call.call());
  }

  private static byte[] body(GatewayCall call, Duration atMost) {
    ObjectNode body =
        JSON.createObjectNode()
            .put("namespace", call.namespace())
            .put("server", call.server())
            .put("tool", call.tool())
            .put("args", call.args())
            .put("digest", call.digest())
            .put("deadlineMillis", atMost.toMillis())
            .put("resultBytes", call.resultBytes())
            .put("approved", call.approved());
    ObjectNode grants = body.putObject("grants");
    if (call.permissions() == null) {
      grants.putNull("permissions");
    } else {
      ArrayNode permissions = grants.putArray("permissions");
      call.permissions().stream().map(ToolPermission::wireName).forEach(permissions::add);
    }
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A call could not be serialized", e);
    }
  }

  @Override
  public void close(String address, String runUid) throws IOException, InterruptedException {
    Reply reply =
        send(request(address, "/v1/runs/" + runUid, ANSWER_TIMEOUT).DELETE(), MAX_ANSWER_BYTES);
    if (reply.status() >= HTTP_OK + 100) {
      throw new IOException("HTTP " + reply.status());
    }
  }

  @Override
  public Listing tools(String address, ObjectMeta server)
      throws ListFailedException, InterruptedException {
    String path =
        "/v1/servers/%s/%s/tools?uid=%s&generation=%d"
            .formatted(
                server.getNamespace(), server.getName(), server.getUid(), server.getGeneration());
    try {
      return listing(address, exchange(request(address, path, LIST_TIMEOUT).GET().build()));
    } catch (IOException e) {
      throw new ListFailedException(
          CallCode.UPSTREAM_UNAVAILABLE.name(), "The tool gateway cannot be reached: " + text(e));
    }
  }

  private Listing listing(String address, HttpResponse<InputStream> response)
      throws ListFailedException, IOException, InterruptedException {
    long length = Math.min(length(response, MAX_LIST_BYTES), MAX_LIST_BYTES);
    try (InputStream reply = response.body()) {
      ReplyMemory.Part memory = lists.take(address, length);
      boolean isListed = false;
      try {
        Listing listing = new Listing(GatewayReplies.tools(read(reply, length)), memory::close);
        isListed = true;
        return listing;
      } finally {
        if (!isListed) {
          memory.close();
        }
      }
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Reply(int status, byte[] body) {}

  private Reply send(HttpRequest.Builder request, int maxBytes)
      throws IOException, InterruptedException {
    HttpResponse<InputStream> response = exchange(request.build());
    return new Reply(response.statusCode(), read(response.body(), maxBytes));
  }

  private HttpResponse<InputStream> exchange(HttpRequest request)
      throws IOException, InterruptedException {
    return http.send(request, BodyHandlers.ofInputStream());
  }

  private HttpRequest.Builder request(String address, String path, Duration timeout)
      throws IOException {
    String authority = address.contains(":") ? "[" + address + "]" : address;
    return HttpRequest.newBuilder(URI.create(scheme + "://" + authority + ":" + port + path))
        .timeout(timeout)
        .header("Authorization", "Bearer " + token.read());
  }

  private byte[] read(InputStream body, long maxBytes) throws IOException {
    ScheduledFuture<?> overdue =
        timer.schedule(() -> closeQuietly(body), BODY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    try (body) {
      byte[] bytes = body.readNBytes((int) maxBytes);
      if (body.read() >= 0) {
        throw new IOException("a response is longer than " + maxBytes + " bytes");
      }
      return bytes;
    } finally {
      overdue.cancel(false);
    }
  }

  private static void closeQuietly(InputStream body) {
    try {
      body.close();
    } catch (IOException e) {
      // The response is abandoned either way.
    }
  }

  private static String text(Exception failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  @Override
  public void close() {
    timer.shutdownNow();
    http.shutdownNow();
    threads.shutdownNow();
  }
}
