package dev.assay.frontend.mcp;

import static dev.assay.frontend.Await.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.http.HttpEndpoint;
import dev.assay.frontend.http.RequestMemory;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a call is stopped, and how too many of them are refused. */
class CancellationTest {
  private final TestEndpoint endpoint =
      new TestEndpoint(2, new RequestMemory(Long.MAX_VALUE), TestEndpoint.SHORT_TIMES);

  @BeforeEach
  void aDataset() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
  }

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void aClientThatIsGoneLeavesItsRunAndGivesItsSlotBack() throws Exception {
    List<String> runs = new ArrayList<>();
    runs.add(callAndGoAway("application/json, text/event-stream", "\"progressToken\":5"));
    runs.add(callAndGoAway("application/json, text/event-stream", ""));
    awaitSlot();
    runs.add(callAndGoAway("application/json", "\"progressToken\":5"));
    awaitSlot();

    assertThat(endpoint.runs.cancelled).isEmpty();
    assertThat(runs).doesNotHaveDuplicates().hasSize(3);
  }

  @Test
  void aRunWhoseClientIsGoneCanStillBeCancelled() throws Exception {
    String run = callAndGoAway("application/json", "");

    cancel("1", "s-1", "alice-key");

    assertThat(endpoint.runs.cancelled.poll(5, TimeUnit.SECONDS)).isEqualTo(run);
  }

  @Test
  void aCallWhoseClientIsGoneBeforeItsDatasetIsReadyStillRuns() throws Exception {
    try (TestEndpoint patient = patient()) {
      patient.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Loading));
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), patient.port())) {
        socket.getOutputStream().write(rawCall("application/json", "").getBytes(UTF_8));
        assertThat(socket.getInputStream().readNBytes(12)).asString(UTF_8).contains("200");
        socket.setSoLinger(true, 0);
      }
      patient.datasets.settle("sales-data", DatasetPhase.Ready);

      assertThat(patient.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();
    }
  }

  private static TestEndpoint patient() {
    return new TestEndpoint(2, new RequestMemory(Long.MAX_VALUE), TestEndpoint.SHORT_TIMES);
  }

  @Test
  void aLostConnectionCancelsInLaterVersionsOfTheProtocolOnly() {
    assertThat(McpEndpoint.disconnectCancels(null)).isFalse();
    assertThat(McpEndpoint.VERSIONS).noneMatch(McpEndpoint::disconnectCancels);
    assertThat(McpEndpoint.disconnectCancels("2026-07-28")).isTrue();
  }

  /** Until both slots are free. */
  private void awaitSlot() {
    await(
        () -> {
          endpoint.runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("free")));
          var first = call(8, "s-8", "alice-key");
          var second = call(9, "s-8", "alice-key");
          // Both have ended before runs stop ending: a run that is left over would keep its slot.
          int firstStatus = first.join().statusCode();
          int secondStatus = second.join().statusCode();
          endpoint.runs.operator((fake, run) -> {});
          endpoint.runs.started.clear();
          return firstStatus == 200 && secondStatus == 200;
        });
  }

  /**
   * Goes away once the answer has begun, which it does with the first heartbeat at the latest.
   * Tries again where it is refused: a call has been answered a little before its slot is free.
   */
  private String callAndGoAway(String accept, String meta) throws Exception {
    String status;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
      socket.getOutputStream().write(rawCall(accept, meta).getBytes(UTF_8));
      status = new String(socket.getInputStream().readNBytes(12), UTF_8);
    }
    if (status.equals("HTTP/1.1 429")) {
      return callAndGoAway(accept, meta);
    }
    assertThat(status).isEqualTo("HTTP/1.1 200");
    return Objects.requireNonNull(endpoint.runs.started.poll(5, TimeUnit.SECONDS));
  }

  @Test
  void aClientThatHasNoMoreToSendGetsItsAnswer() throws Exception {
    CountDownLatch begun = endsRunsAfter("read to the end");
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
      String call =
          rawCall("application/json", "").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
      socket.getOutputStream().write(call.getBytes(UTF_8));
      socket.shutdownOutput();
      assertThat(socket.getInputStream().readNBytes(12)).asString(UTF_8).contains("200");
      begun.countDown();

      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .contains("read to the end");
    }
    assertThat(endpoint.runs.cancelled).isEmpty();
  }

  @Test
  void aSilentPlainAnswerIsKeptAliveWithWhiteSpace() throws Exception {
    CountDownLatch begun = endsRunsAfter("late");

    HttpResponse<InputStream> late = begin("application/json");
    begun.countDown();

    String body = new String(late.body().readAllBytes(), UTF_8);
    assertThat(body).startsWith("\n").contains("late");
    assertThat(late.headers().firstValue("Content-Type")).hasValue("application/json");
    assertThat(Json.mapper().readTree(body).get("id").asInt()).isEqualTo(1);
  }

  @Test
  void anAnswerThatComesBeforeTheFirstHeartbeatIsTheDocumentAlone() {
    try (TestEndpoint patient =
        new TestEndpoint(2, new RequestMemory(Long.MAX_VALUE), HttpEndpoint.Times.DEFAULT)) {
      patient.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
      patient.runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("quick")));

      HttpResponse<String> quick = patient.post(body(2, ""));

      assertThat(quick.body()).startsWith("{\"jsonrpc\"").contains("quick");
      assertThat(quick.headers().firstValueAsLong("Content-Length"))
          .hasValue(quick.body().length());
    }
  }

  @Test
  void aNotificationStopsTheRunOfItsRequest() throws Exception {
    CompletableFuture<HttpResponse<String>> answer = call(7, "s-1", "alice-key");
    String run = endpoint.runs.started.poll(5, TimeUnit.SECONDS);

    cancel("7", "s-1", "alice-key");

    assertThat(endpoint.runs.cancelled.poll(5, TimeUnit.SECONDS)).isEqualTo(run);
    assertThat(answer).succeedsWithin(Duration.ofSeconds(5));
  }

  /** A client knows nothing of the request any more, and takes its response for a fault. */
  @Test
  void aCancelledRequestGetsNoResponse() throws Exception {
    try (TestEndpoint patient =
        new TestEndpoint(2, new RequestMemory(Long.MAX_VALUE), HttpEndpoint.Times.DEFAULT)) {
      patient.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
      var plain = call(patient, "application/json", 7);
      var stream = call(patient, "text/event-stream", 8);
      assertThat(patient.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();
      assertThat(patient.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();

      cancel(patient, "7", "s-1", "alice-key");
      cancel(patient, "8", "s-1", "alice-key");

      assertThat(plain.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(202);
      assertThat(plain.get().body()).isEmpty();
      assertThat(stream.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      assertThat(stream.get().body()).doesNotContain("data:");
    }
  }

  /** A client reports a document that does not parse as a fault. */
  @Test
  void aCancelledRequestWhosePlainAnswerHasBegunGetsADocumentThatParses() throws Exception {
    HttpResponse<InputStream> answer = begin("application/json");

    cancel("1", null, "alice-key");

    String body = new String(answer.body().readAllBytes(), UTF_8);
    assertThat(body).startsWith("\n");
    assertThat(Json.mapper().readTree(body).get("id").asInt()).isEqualTo(1);
  }

  private static CompletableFuture<HttpResponse<String>> call(
      TestEndpoint endpoint, String accept, int id) {
    return endpoint
        .client()
        .sendAsync(
            endpoint
                .request(body(id, ""))
                .setHeader("Accept", accept)
                .header("X-API-Key", "alice-key")
                .header("Mcp-Session-Id", "s-1")
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void aCallThatIsCancelledTwiceOrUnderAnIdThatIsNoneIsCancelledOnce() throws Exception {
    var unused = call(7, "s-1", "alice-key");
    String run = endpoint.runs.started.poll(5, TimeUnit.SECONDS);

    cancel("{}", "s-1", "alice-key");
    cancel("null", "s-1", "alice-key");
    cancel("99", "s-1", "alice-key");
    cancel("7", "s-1", "alice-key");
    cancel("7", "s-1", "alice-key");

    assertThat(endpoint.runs.cancelled.poll(5, TimeUnit.SECONDS)).isEqualTo(run);
    await(() -> endpoint.runs.followed().isEmpty());
    assertThat(endpoint.runs.cancelled.stream().distinct()).isSubsetOf(run);
  }

  @Test
  void theEndOfASessionCancelsItsCalls() throws Exception {
    var mine = call(7, "s-1", "alice-key");
    String run = endpoint.runs.started.poll(5, TimeUnit.SECONDS);
    var other = call(7, "s-2", "alice-key");
    assertThat(endpoint.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();

    assertThat(end("s-1", "bob-key")).isEqualTo(204);
    assertThat(end("s-3", "alice-key")).isEqualTo(204);
    assertThat(endpoint.runs.cancelled).isEmpty();
    assertThat(end("s-1", "alice-key")).isEqualTo(204);

    assertThat(endpoint.runs.cancelled.poll(5, TimeUnit.SECONDS)).isEqualTo(run);
    assertThat(mine).succeedsWithin(Duration.ofSeconds(5));
    assertThat(other).isNotDone();
    assertThat(endpoint.runs.cancelled).allMatch(name -> name.equals(run));
  }

  @Test
  void theEndOfASessionCancelsItsCallsInOtherReplicasToo() throws Exception {
    var unused = endpoint.runs.create(runOf("run-elsewhere", "s-9.n7"));
    unused = endpoint.runs.create(runOf("run-of-another", "s-90.n7"));

    assertThat(end("s-9", "alice-key")).isEqualTo(204);
    assertThat(endpoint.runs.cancelled.poll(5, TimeUnit.SECONDS)).isEqualTo("run-elsewhere");

    unused = endpoint.runs.create(runOf("run-later", "s-9.n8"));
    assertThat(endpoint.runs.cancelled.poll(5, TimeUnit.SECONDS)).isEqualTo("run-later");
    assertThat(endpoint.runs.cancelled).isEmpty();
  }

  /** Some clients have a session for each call, which they end when they have its answer. */
  @Test
  void theEndOfASessionLeavesARunWhoseCallWasAnswered() throws Exception {
    HttpResponse<String> answer =
        endpoint.send(
            endpoint
                .request(body(7, "").replace("\"x\"", "\"x\",\"wait_seconds\":0"))
                .header("X-API-Key", "alice-key")
                .header("Mcp-Session-Id", "s-1")
                .build());
    assertThat(answer.body()).contains(" continues: ");
    var unused = endpoint.runs.create(runOf("run-elsewhere", "s-1.n8"));

    assertThat(end("s-1", "alice-key")).isEqualTo(204);

    assertThat(endpoint.runs.cancelled.poll(5, TimeUnit.SECONDS)).isEqualTo("run-elsewhere");
    assertThat(endpoint.runs.cancelled).isEmpty();
  }

  @Test
  void anEndNamesItsSession() {
    assertThat(end(null, "alice-key")).isEqualTo(400);
    assertThat(end("not.ours", "alice-key")).isEqualTo(400);
    assertThat(end("s-1", "wrong-key")).isEqualTo(401);
  }

  private int end(@Nullable String session, String key) {
    var request = endpoint.request("").DELETE().header("X-API-Key", key);
    if (session != null) {
      request.header("Mcp-Session-Id", session);
    }
    return endpoint.send(request.build()).statusCode();
  }

  @Test
  void nobodyStopsTheRunOfAnotherCallerSessionOrId() throws Exception {
    var unused = call(7, "s-1", "alice-key");
    assertThat(endpoint.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();

    cancel("7", "s-1", "bob-key");
    cancel("7", "s-2", "alice-key");
    cancel("7", null, "alice-key");
    cancel("8", "s-1", "alice-key");
    cancel("\"7\"", "s-1", "alice-key");

    assertThat(endpoint.runs.cancelled.poll(200, TimeUnit.MILLISECONDS)).isNull();
  }

  @Test
  void aRunThatAnotherReplicaWaitsForIsStoppedToo() throws Exception {
    var unused = endpoint.runs.create(runOf("run-elsewhere", "s-9.n7"));

    cancel("7", "s-9", "alice-key");

    assertThat(endpoint.runs.cancelled.poll(5, TimeUnit.SECONDS)).isEqualTo("run-elsewhere");
  }

  @Test
  void aRunThatAnotherReplicaCreatesOnlyAfterItsCallWasCancelledIsStoppedToo() throws Exception {
    cancel("7", "s-9", "alice-key");

    var unused = endpoint.runs.create(runOf("run-other", "s-9.n8"));
    unused = endpoint.runs.create(runOf("run-late", "s-9.n7"));

    assertThat(endpoint.runs.cancelled.poll(5, TimeUnit.SECONDS)).isEqualTo("run-late");
    assertThat(endpoint.runs.cancelled).isEmpty();
  }

  private static AnalyticsRun runOf(String name, String requestId) {
    AnalyticsRun run = Fixtures.run(name, null);
    var spec = run.getSpec();
    run.setSpec(
        AnalyticsRunSpecBuilder.builder()
            .className(spec.className())
            .language(spec.language())
            .code(spec.code())
            .datasets(spec.datasets())
            .timeoutSeconds(spec.timeoutSeconds())
            .caller("alice")
            .tool(spec.tool())
            .requestId(requestId)
            .build());
    return run;
  }

  @Test
  void oneCallTooManyIsRefusedWithAdviceAndRoomComesBack() throws Exception {
    var first = call(1, "s-1", "alice-key");
    var second = call(2, "s-1", "alice-key");
    assertThat(endpoint.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();
    assertThat(endpoint.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();

    HttpResponse<String> third = call(3, "s-1", "alice-key").get(5, TimeUnit.SECONDS);

    assertThat(third.statusCode()).isEqualTo(429);
    assertThat(third.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(third.body()).contains("\"id\":3").contains("retry");

    cancel("1", "s-1", "alice-key");
    cancel("2", "s-1", "alice-key");
    first.get(5, TimeUnit.SECONDS);
    second.get(5, TimeUnit.SECONDS);
    endpoint.runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("room")));
    assertThat(call(4, "s-1", "alice-key").get(5, TimeUnit.SECONDS).body()).contains("room");
  }

  @Test
  void aSilentStreamIsKeptAliveWithComments() throws Exception {
    CountDownLatch commented = endsRunsAfter("ok");

    HttpResponse<InputStream> response = begin("text/event-stream");
    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    BufferedReader lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8));
    assertThat(lines.readLine()).isEqualTo(": waiting");
    assertThat(lines.readLine()).isEmpty();
    commented.countDown();

    List<String> rest = lines.lines().toList();
    assertThat(rest).last().isEqualTo("");
    assertThat(rest.stream().filter(line -> line.startsWith("data: "))).hasSize(1);
  }

  /** Runs succeed when the latch is open. */
  private CountDownLatch endsRunsAfter(String output) {
    CountDownLatch open = new CountDownLatch(1);
    endpoint.runs.operator(
        (fake, run) -> {
          try {
            open.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          fake.status(run, Fixtures.succeeded(output));
        });
    return open;
  }

  /** A response that has begun, with its first heartbeat. */
  private HttpResponse<InputStream> begin(String accept) throws Exception {
    return endpoint
        .client()
        .send(
            endpoint
                .request(body(1, ""))
                .setHeader("Accept", accept)
                .header("X-API-Key", "alice-key")
                .build(),
            HttpResponse.BodyHandlers.ofInputStream());
  }

  private CompletableFuture<HttpResponse<String>> call(int id, String session, String key) {
    return endpoint
        .client()
        .sendAsync(
            endpoint
                .request(body(id, ""))
                .header("X-API-Key", key)
                .header("Mcp-Session-Id", session)
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private void cancel(String id, @Nullable String session, String key) {
    cancel(endpoint, id, session, key);
  }

  private static void cancel(
      TestEndpoint endpoint, String id, @Nullable String session, String key) {
    var request =
        endpoint
            .request(
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":"
                    + id
                    + ",\"reason\":\"no more\"}}")
            .header("X-API-Key", key);
    if (session != null) {
      request.header("Mcp-Session-Id", session);
    }
    assertThat(endpoint.send(request.build()).statusCode()).isEqualTo(202);
  }

  private static String body(int id, String meta) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + id
        + ",\"method\":\"tools/call\",\"params\":{\"name\":\"execute_custom_analytics_code\","
        + meta
        + "\"arguments\":{\"dataset_name\":\"sales_data\",\"python_code\":\"x\"}}}";
  }

  private static String rawCall(String accept, String meta) {
    String body = body(1, "\"_meta\":{" + meta + "},");
    return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-API-Key: alice-key\r\n"
        + "Mcp-Session-Id: s-1\r\nContent-Type: application/json\r\nAccept: "
        + accept
        + "\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }
}
