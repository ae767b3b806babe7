package dev.assay.api.kubernetes;

import dev.assay.api.http.DelegatingHttpClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.HttpTimeoutException;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The JDK's HTTP client, with limits that the Kubernetes client does not have. */
final class ApiHttpClient extends DelegatingHttpClient {
  /**
   * API servers allow 100 streams on an HTTP/2 connection, and the JDK has one connection for all
   * requests: it fails those above the limit instead of queueing them.
   */
  static final int MAX_REQUESTS = 64;

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** A leader whose Lease renewal waits behind its own burst of requests would lose the Lease. */
  private static final String LEASES = "/apis/coordination.k8s.io/";

  /** The request of the health monitor: a burst must not look like a client that is broken. */
  private static final String PROBE = "/version";

  private static final String EVENTS = "/events";

  private final ScheduledExecutorService timer;
  private final Pings pings;
  private final Duration timeout;
  private final RequestObserver observer;
  private final RequestSlots slots;

  ApiHttpClient(
      HttpClient client, ScheduledExecutorService timer, Pings pings, RequestObserver observer) {
    this(client, timer, pings, TIMEOUT, observer);
  }

  ApiHttpClient(
      HttpClient client,
      ScheduledExecutorService timer,
      Pings pings,
      Duration timeout,
      RequestObserver observer) {
    super(client);
    this.observer = observer;
    this.timer = timer;
    this.pings = pings;
    this.timeout = timeout;
    this.slots =
        new RequestSlots(MAX_REQUESTS, client.executor().orElseGet(ForkJoinPool::commonPool));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    if (isWatch(request)) {
      return client().sendAsync(request, handler);
    }
    CompletableFuture<HttpResponse<T>> answer = new CompletableFuture<>();
    observe(request, answer);
    if (isUrgent(request)) {
      send(request, handler, answer, new Exchange(timer, timeout, () -> {}));
      return answer;
    }
    Runnable send =
        () -> send(request, handler, answer, new Exchange(timer, timeout, slots::release));
    if (isEvent(request)) {
      giveUpLater(request, answer);
      if (!slots.acquireLast(send)) {
        answer.completeExceptionally(new IOException("too many Events wait to be sent"));
      }
    } else if (Thread.currentThread().isVirtual()) {
      sendAfterWaiting(send, answer);
    } else {
      giveUpLater(request, answer);
      slots.acquire(send);
    }
    return answer;
  }

  private void observe(HttpRequest request, CompletableFuture<? extends HttpResponse<?>> answer) {
    long begun = System.nanoTime();
    CompletableFuture<?> unused =
        answer.whenComplete(
            (response, error) ->
                observer.ended(
                    request.method(),
                    response == null ? 0 : response.statusCode(),
                    Duration.ofNanos(System.nanoTime() - begun)));
  }

  /**
   * Blocks the caller's thread until there is a slot. The time limit of the Kubernetes client
   * begins when this returns: of a thousand requests at once, the last ones would otherwise time
   * out and be retried before they were sent. Failures are no IOExceptions, since the client
   * retries on those.
   */
  private void sendAfterWaiting(Runnable send, CompletableFuture<?> answer) {
    try {
      if (slots.await(timeout)) {
        send.run();
      } else {
        answer.completeExceptionally(
            new KubernetesClientException("timed out waiting to be sent to the API server"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      answer.completeExceptionally(
          new KubernetesClientException(
              "interrupted while waiting to be sent to the API server", e));
    }
  }

  /**
   * The Kubernetes client gives a request up after its timeout, however long it waited for a slot,
   * and does not say so here: nobody reads a response that comes later.
   */
  private void giveUpLater(HttpRequest request, CompletableFuture<?> answer) {
    var giveUp =
        timer.schedule(
            () ->
                answer.completeExceptionally(
                    new HttpTimeoutException("timed out waiting to be sent or answered")),
            request.timeout().orElse(timeout).toMillis(),
            TimeUnit.MILLISECONDS);
    CompletableFuture<?> unused = answer.whenComplete((response, error) -> giveUp.cancel(false));
  }

  private <T> void send(
      HttpRequest request,
      BodyHandler<T> handler,
      CompletableFuture<HttpResponse<T>> answer,
      Exchange exchange) {
    if (answer.isDone()) {
      exchange.end();
      return;
    }
    CompletableFuture<HttpResponse<T>> sent;
    try {
      sent = client().sendAsync(timed(request), exchange.bounded(handler));
    } catch (RuntimeException e) {
      sent = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<HttpResponse<T>> underWay = sent;
    CompletableFuture<HttpResponse<T>> unused =
        answer.whenComplete(
            (response, error) -> {
              if (answer.isCancelled()) {
                underWay.cancel(true);
              }
            });
    unused =
        underWay.whenComplete(
            (response, error) -> {
              if (error == null) {
                answer.complete(response);
              } else {
                exchange.end();
                answer.completeExceptionally(error);
              }
            });
  }

  private HttpRequest timed(HttpRequest request) {
    return request.timeout().isPresent()
        ? request
        : HttpRequest.newBuilder(request, (name, value) -> true).timeout(timeout).build();
  }

  private static boolean isUrgent(HttpRequest request) {
    String path = request.uri().getPath();
    return path.startsWith(LEASES) || path.equals(PROBE);
  }

  /** Nothing depends on an Event, and a burst of runs writes as many as statuses. */
  private static boolean isEvent(HttpRequest request) {
    return request.method().equals("POST") && request.uri().getPath().endsWith(EVENTS);
  }

  /** If WebSockets are rejected, a watch is a response that does not end. */
  private static boolean isWatch(HttpRequest request) {
    return Objects.requireNonNullElse(request.uri().getQuery(), "").contains("watch=true");
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return new PingedWebSocketBuilder(client().newWebSocketBuilder(), pings);
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    throw new UnsupportedOperationException("the Kubernetes client sends asynchronously");
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, @Nullable PushPromiseHandler<T> pushes) {
    throw new UnsupportedOperationException("the Kubernetes client takes no pushes");
  }
}
