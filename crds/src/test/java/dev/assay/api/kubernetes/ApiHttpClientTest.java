package dev.assay.api.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.kubernetes.FakeHttpClient.Sent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ApiHttpClientTest {
  private static final int BURST = 300;
  private static final String EVENTS = "/api/v1/namespaces/analytics/events";
  private static final String PODS = "/api/v1/namespaces/analytics/pods";

  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final FakeHttpClient jdk = new FakeHttpClient();
  private final List<String> observed = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    timer.shutdownNow();
  }

  @Test
  void aBurstIsSentInBoundedNumbersAndInItsOrder() {
    ApiHttpClient client = client(Duration.ofMinutes(1));
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (int i = 0; i < BURST; i++) {
      answers.add(send(client, PODS + "/" + i));
    }
    assertThat(jdk.sent).hasSize(ApiHttpClient.MAX_REQUESTS);
    for (int i = 0; i < BURST; i++) {
      jdk.sent.get(i).headers().onComplete();
      assertThat(jdk.sent).hasSize(Math.min(BURST, ApiHttpClient.MAX_REQUESTS + i + 1));
    }
    assertThat(jdk.sent.getLast().request().uri().getPath()).endsWith("/" + (BURST - 1));
  }

  @Test
  void aRequestIsUnderWayUntilTheLastByteOfItsAnswer() {
    ApiHttpClient client = fullClient();
    CompletableFuture<HttpResponse<String>> next = send(client, PODS);
    var body = jdk.sent.getFirst().headers();
    assertThat(jdk.sent).hasSize(ApiHttpClient.MAX_REQUESTS);
    body.onComplete();
    assertThat(jdk.sent).hasSize(ApiHttpClient.MAX_REQUESTS + 1);
    assertThat(next).isNotDone();
  }

  @Test
  void aRequestThatFailsMakesRoomForTheNext() {
    ApiHttpClient client = fullClient();
    CompletableFuture<HttpResponse<String>> unused = send(client, PODS);
    jdk.sent.getFirst().answer().completeExceptionally(new IOException("reset"));
    assertThat(jdk.sent).hasSize(ApiHttpClient.MAX_REQUESTS + 1);
  }

  @Test
  void aRequestThatWasCancelledWhileItWaitedIsNotSent() {
    ApiHttpClient client = fullClient();
    send(client, PODS).cancel(true);
    CompletableFuture<HttpResponse<String>> unused = send(client, PODS + "/kept");
    jdk.sent.getFirst().headers().onComplete();
    assertThat(jdk.sent).hasSize(ApiHttpClient.MAX_REQUESTS + 1);
    assertThat(jdk.sent.getLast().request().uri().getPath()).endsWith("/kept");
  }

  @Test
  void theLeaseTheHealthMonitorAndWatchesDoNotWaitBehindABurst() {
    ApiHttpClient client = fullClient();
    CompletableFuture<HttpResponse<String>> probe = send(client, "/version");
    assertThat(probe).isNotDone();
    CompletableFuture<HttpResponse<String>> lease =
        send(client, "/apis/coordination.k8s.io/v1/namespaces/assay-system/leases/assay-operator");
    CompletableFuture<HttpResponse<String>> watch = send(client, PODS + "?watch=true");
    assertThat(jdk.sent).hasSize(ApiHttpClient.MAX_REQUESTS + 3);
    assertThat(lease).isNotDone();
    assertThat(watch).isNotDone();
  }

  @Test
  void eventsWaitBehindAllOtherRequests() {
    ApiHttpClient client = fullClient();
    CompletableFuture<HttpResponse<String>> unused = post(client, EVENTS);
    unused = post(client, EVENTS);
    unused = send(client, EVENTS);
    unused = post(client, PODS);
    for (int i = 0; i < 4; i++) {
      jdk.sent.get(i).headers().onComplete();
    }
    assertThat(jdk.sent.subList(ApiHttpClient.MAX_REQUESTS, jdk.sent.size()))
        .extracting(sent -> sent.request().method() + " " + sent.request().uri().getPath())
        .containsExactly("GET " + EVENTS, "POST " + PODS, "POST " + EVENTS, "POST " + EVENTS);
  }

  @Test
  void anEventIsSentAtOnceWhereASlotIsFree() {
    CompletableFuture<HttpResponse<String>> unused = post(client(Duration.ofMinutes(1)), EVENTS);
    assertThat(jdk.sent).hasSize(1);
  }

  @Test
  void noMoreEventsWaitThanAreWorthIt() {
    ApiHttpClient client = fullClient();
    for (int i = 0; i < RequestSlots.MAX_WAITING_LAST; i++) {
      assertThat(post(client, EVENTS)).isNotDone();
    }
    assertThat(post(client, EVENTS)).isCompletedExceptionally();
    assertThat(post(client, PODS)).isNotDone();
    jdk.sent.get(0).headers().onComplete();
    jdk.sent.get(1).headers().onComplete();
    assertThat(post(client, EVENTS)).as("one of them was sent").isNotDone();
  }

  @Test
  void aRequestThatWaitedForLongerThanItsTimeLimitIsNotSent() {
    ApiHttpClient client = fullClient(Duration.ofMillis(10));
    CompletableFuture<HttpResponse<String>> late = send(client, PODS + "/late");
    assertThatThrownBy(() -> late.get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(HttpTimeoutException.class);
    jdk.sent.getFirst().answer().completeExceptionally(new IOException("reset"));
    assertThat(jdk.sent).hasSize(ApiHttpClient.MAX_REQUESTS);
  }

  @Test
  void theTimeLimitOfAVirtualThreadBeginsWhenItsRequestIsSent() throws InterruptedException {
    ApiHttpClient client = fullClient();
    List<CompletableFuture<?>> answers = new CopyOnWriteArrayList<>();
    Thread caller = waiting(() -> answers.add(send(client, PODS + "/waiting")));
    assertThat(answers).as("the caller has no future whose time it could limit").isEmpty();
    jdk.sent.getFirst().headers().onComplete();
    caller.join();
    assertThat(answers).hasSize(1).noneMatch(CompletableFuture::isDone);
    assertThat(jdk.sent).hasSize(ApiHttpClient.MAX_REQUESTS + 1);
    assertThat(jdk.sent.getLast().request().uri().getPath()).endsWith("/waiting");
  }

  @Test
  void aVirtualThreadThatIsInterruptedWhileItWaitsTakesNoSlot() throws InterruptedException {
    ApiHttpClient client = fullClient();
    List<CompletableFuture<?>> answers = new CopyOnWriteArrayList<>();
    Thread caller = waiting(() -> answers.add(send(client, PODS)));
    caller.interrupt();
    caller.join();
    assertThat(answers).hasSize(1).allMatch(CompletableFuture::isCompletedExceptionally);
    jdk.sent.getFirst().headers().onComplete();
    CompletableFuture<HttpResponse<String>> unused = send(client, PODS + "/next");
    awaitSent("/next");
  }

  @Test
  void aVirtualThreadThatWaitsForTooLongTakesNoSlot() throws InterruptedException {
    ApiHttpClient client = fullClient(Duration.ofMillis(10));
    List<CompletableFuture<?>> answers = new CopyOnWriteArrayList<>();
    Thread.ofVirtual().start(() -> answers.add(send(client, PODS))).join();
    assertThat(answers).hasSize(1).allMatch(CompletableFuture::isCompletedExceptionally);
    jdk.sent.getFirst().answer().completeExceptionally(new IOException("reset"));
    CompletableFuture<HttpResponse<String>> unused = send(client, PODS + "/next");
    awaitSent("/next");
  }

  /** The slot of a request that has been given up is handed on by another thread. */
  private void awaitSent(String path) {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (!jdk.sent.getLast().request().uri().getPath().endsWith(path)) {
      assertThat(System.nanoTime()).as("the slot is lost").isLessThan(end);
      Thread.onSpinWait();
    }
  }

  /** Starts a virtual thread, and returns once it waits. */
  private static Thread waiting(Runnable request) {
    Thread caller = Thread.ofVirtual().start(request);
    while (caller.getState() != Thread.State.WAITING) {
      assertThat(caller.isAlive()).as("it has not waited").isTrue();
      Thread.onSpinWait();
    }
    return caller;
  }

  @Test
  void everyRequestHasATimeLimitAndAnAnswerWithoutAnEndIsGivenUp() {
    // One that is over before the request is sent is right to send nothing.
    Duration timeout = Duration.ofSeconds(1);
    ApiHttpClient client = client(timeout);
    CompletableFuture<HttpResponse<String>> unused = send(client, PODS);
    Sent<?> sent = jdk.sent.getFirst();
    assertThat(sent.request().timeout()).hasValue(timeout);
    var body = sent.headers().getBody().toCompletableFuture();
    assertThatThrownBy(() -> body.get(20, TimeUnit.SECONDS))
        .hasCauseInstanceOf(HttpTimeoutException.class);
  }

  @Test
  void theEndOfEachRequestIsObservedButNotOfAWatch() {
    ApiHttpClient client = client(Duration.ofMinutes(1));
    CompletableFuture<HttpResponse<String>> unused = post(client, PODS);
    unused = send(client, PODS + "?watch=true");
    jdk.sent.forEach(sent -> sent.answer().completeExceptionally(new IOException("reset")));
    assertThat(observed).containsExactly("POST 0");
  }

  private ApiHttpClient client(Duration timeout) {
    return new ApiHttpClient(
        jdk,
        timer,
        new Pings(timer, () -> 0, Duration.ofDays(1), Duration.ofDays(1)),
        timeout,
        (method, status, took) -> observed.add(method + " " + status));
  }

  private ApiHttpClient fullClient() {
    return fullClient(Duration.ofMinutes(1));
  }

  /**
   * A client whose requests have all their slots.
   *
   * @param timeout of the requests after them; theirs is long, since one that is over before the
   *     request is sent would leave its slot free
   */
  private ApiHttpClient fullClient(Duration timeout) {
    ApiHttpClient client = client(timeout);
    HttpRequest patient =
        HttpRequest.newBuilder(URI.create("https://api.example" + PODS))
            .timeout(Duration.ofMinutes(1))
            .build();
    for (int i = 0; i < ApiHttpClient.MAX_REQUESTS; i++) {
      CompletableFuture<HttpResponse<String>> unused =
          client.sendAsync(patient, BodyHandlers.ofString());
    }
    return client;
  }

  private static CompletableFuture<HttpResponse<String>> post(ApiHttpClient client, String path) {
    return client.sendAsync(
        HttpRequest.newBuilder(URI.create("https://api.example" + path))
            .POST(BodyPublishers.ofString("{}"))
            .build(),
        BodyHandlers.ofString());
  }

  private static CompletableFuture<HttpResponse<String>> send(ApiHttpClient client, String path) {
    return client.sendAsync(
        HttpRequest.newBuilder(URI.create("https://api.example" + path)).build(),
        BodyHandlers.ofString());
  }
}
