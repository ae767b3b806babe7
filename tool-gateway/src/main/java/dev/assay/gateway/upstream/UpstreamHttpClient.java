package dev.assay.gateway.upstream;

import dev.assay.api.http.DelegatingHttpClient;
import io.modelcontextprotocol.spec.HttpHeaders;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client that the transports of the MCP SDK are given. It does what they leave open: it
 * follows no redirect and says so, limits each response, and can abort one exchange of many.
 */
final class UpstreamHttpClient extends DelegatingHttpClient {
  /** On requests of the transport: which exchange they are. It is not sent. */
  static final String EXCHANGE_HEADER = "Assay-Exchange";

  /** Of a response to what is no request. */
  private static final long MAX_UNASKED_BYTES = 1 << 10;

  /** How long a long event of a stream may take from its first bytes to its last. */
  private static final Duration MAX_UNFINISHED_EVENT = Duration.ofSeconds(30);

  /** Includes the TLS handshake, which is slow while the gateway is short of CPU time. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();

  private final Map<String, Exchange> exchanges = new ConcurrentHashMap<>();
  private final Set<StreamBody<?>> streams = ConcurrentHashMap.newKeySet();
  private final ReplyMemory.Part memory;
  private final Runnable onStreamEnd;

  /**
   * A client without connections.
   *
   * @param memory of the server
   * @param onStreamEnd called when a stream that belongs to no exchange has ended
   */
  UpstreamHttpClient(ReplyMemory.Part memory, Runnable onStreamEnd) {
    // One for each session: an exchange that is aborted may close the connection of another.
    super(
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_TIMEOUT)
            // A proxy would resolve names by itself, and the addresses were not checked.
            .proxy(HttpClient.Builder.NO_PROXY)
            .executor(THREADS)
            .build());
    this.memory = memory;
    this.onStreamEnd = onStreamEnd;
  }

  void register(String id, Exchange exchange) {
    exchanges.put(id, exchange);
  }

  /** The reply to a request has arrived, perhaps in a stream. */
  void replied(String id) {
    Exchange exchange = exchanges.get(id);
    if (exchange != null) {
      StreamBody.handOver(exchange.memory());
    }
  }

  void forget(String id) {
    Exchange over = exchanges.remove(id);
    if (over != null) {
      over.unwatch();
    }
    // A server that stalls would keep the memory of an event that nobody waits for anymore.
    streams.forEach(stream -> THREADS.execute(stream::checkLimit));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    Optional<String> id = request.headers().firstValue(EXCHANGE_HEADER);
    if (id.isEmpty()) {
      return client().sendAsync(request, info -> stream(request, info, handler));
    }
    Exchange exchange = exchanges.get(id.get());
    if (exchange == null) {
      return CompletableFuture.failedFuture(new IOException("the call is over"));
    }
    HttpRequest.Builder copy =
        HttpRequest.newBuilder(request, (name, value) -> !name.equalsIgnoreCase(EXCHANGE_HEADER));
    request
        .bodyPublisher()
        .ifPresent(body -> copy.method(request.method(), new WatchedRequest(body, exchange)));
    HttpRequest sent = copy.build();
    CompletableFuture<HttpResponse<T>> response =
        client().sendAsync(sent, info -> limited(sent, info, handler, exchange));
    exchange.began(response);
    return response;
  }

  private <T> BodySubscriber<T> stream(
      HttpRequest request, ResponseInfo info, BodyHandler<T> handler) {
    if (!request.method().equals("GET")) {
      return limited(request, info, handler, new Exchange(MAX_UNASKED_BYTES, memory.share()));
    }
    if (isRedirect(info) || info.statusCode() >= 400) {
      onStreamEnd.run();
      return refused(
          isRedirect(info)
              ? new RedirectException()
              : new HttpStatusException(info.statusCode(), hasSession(request)));
    }
    return new StreamBody<>(
        handler.apply(info),
        memory.share(),
        this::maxEventBytes,
        MAX_UNFINISHED_EVENT,
        streams,
        onStreamEnd);
  }

  /** A stream of SSE has the replies to all requests; one beside them has none. */
  private long maxEventBytes() {
    return exchanges.values().stream()
        .mapToLong(Exchange::maxBytes)
        .reduce(StreamBody.MIN_LIMIT_BYTES, Math::max);
  }

  private static boolean hasSession(HttpRequest request) {
    return request.headers().firstValue(HttpHeaders.MCP_SESSION_ID).isPresent();
  }

  /** Ends all exchanges and streams. */
  void abort() {
    exchanges.values().forEach(Exchange::abort);
    streams.forEach(StreamBody::cancel);
    client().shutdownNow();
  }

  private static <T> BodySubscriber<T> limited(
      HttpRequest request, ResponseInfo info, BodyHandler<T> handler, Exchange exchange) {
    exchange.replied(info.statusCode());
    if (info.statusCode() >= 400) {
      // The transport would take some of them as the end of the session, and end its other calls.
      HttpStatusException status = new HttpStatusException(info.statusCode(), hasSession(request));
      exchange.failed(status);
      return refused(status);
    }
    if (isRedirect(info)) {
      return refused(new RedirectException());
    }
    long length = info.headers().firstValueAsLong("Content-Length").orElse(-1);
    if (length > exchange.maxBytes()) {
      return refused(new TooLongException());
    }
    return new ReplyBody<>(handler.apply(info), exchange);
  }

  private static boolean isRedirect(ResponseInfo info) {
    return info.statusCode() >= 300 && info.statusCode() < 400;
  }

  /** A body that is not read. */
  private static <T> BodySubscriber<T> refused(IOException why) {
    return new BodySubscriber<>() {
      @Override
      public CompletionStage<T> getBody() {
        return CompletableFuture.failedFuture(why);
      }

      @Override
      public void onSubscribe(Flow.Subscription subscription) {
        subscription.cancel();
      }

      @Override
      public void onNext(List<ByteBuffer> item) {}

      @Override
      public void onError(Throwable error) {}

      @Override
      public void onComplete() {}
    };
  }

  /** The server replied with a redirect. */
  static final class RedirectException extends IOException {
    private static final long serialVersionUID = 1L;

    RedirectException() {
      super("redirects are not followed");
    }
  }

  /** The memory for replies is taken. */
  static final class NoMemoryException extends IOException {
    private static final long serialVersionUID = 1L;

    NoMemoryException() {
      super("there is no memory for the response");
    }
  }

  /** The response takes more memory than one may. */
  static final class TooHeavyException extends IOException {
    private static final long serialVersionUID = 1L;

    TooHeavyException() {
      super("the response takes too much memory");
    }
  }

  /** An event of a stream has begun and does not end. */
  static final class StalledException extends IOException {
    private static final long serialVersionUID = 1L;

    StalledException() {
      super("the event does not end");
    }
  }

  /** The server replied with a status of an error. */
  static final class HttpStatusException extends IOException {
    private static final long serialVersionUID = 1L;
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;

    private final int status;
    private final boolean hadSession;

    HttpStatusException(int status, boolean hadSession) {
      super("status " + status);
      this.status = status;
      this.hadSession = hadSession;
    }

    int status() {
      return status;
    }

    /** Whether the server may not know the session: some of them reply with this instead. */
    boolean isDoubtfulSession() {
      return status == BAD_REQUEST && hadSession;
    }

    /** Whether the server does not know the session, by the specification of MCP. */
    boolean isLostSession() {
      return status == NOT_FOUND && hadSession;
    }
  }

  /** The response is longer than it may be. */
  static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    TooLongException() {
      super("the response is too long");
    }
  }

  /** Notes that a request is sent. */
  private record WatchedRequest(BodyPublisher body, Exchange exchange) implements BodyPublisher {
    @Override
    public long contentLength() {
      return body.contentLength();
    }

    @Override
    public void subscribe(Flow.Subscriber<? super ByteBuffer> subscriber) {
      exchange.sending();
      body.subscribe(subscriber);
    }
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    return client().send(request, handler);
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
    return sendAsync(request, handler);
  }

  @Override
  public void shutdownNow() {
    abort();
  }

  @Override
  public void close() {
    abort();
  }

  /** A builder that returns this client: the transports build theirs by themselves. */
  HttpClient.Builder asBuilder() {
    return new OneClientBuilder(this);
  }
}
