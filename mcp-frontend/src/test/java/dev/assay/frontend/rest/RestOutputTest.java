package dev.assay.frontend.rest;

import static dev.assay.frontend.Await.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.http.RequestMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
@Timeout(30)
class RestOutputTest {
  private static final String OUTPUT = "/api/v1/runs/{name}/output";
  private static final AnalyticsRunStatus BOUND = inPod(RunPhase.Starting, RunReason.Bound);
  private static final AnalyticsRunStatus RUNNING = inPod(RunPhase.Running, RunReason.Started);

  private final TestEndpoint endpoint =
      new TestEndpoint(2, new RequestMemory(Long.MAX_VALUE), TestEndpoint.SOON_IDLE);
  private final RestClient client = new RestClient(endpoint);

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void allThatIsStoredIsGivenAlsoWhereItIsLongerThanOnePiece() {
    String all = "0123456789".repeat(50_000);
    endpoint.runs.with(Fixtures.run("run-a", ended("0123", 500_000)));
    endpoint.outputs.append("uid-1", all);

    HttpResponse<String> answer = client.get(OUTPUT, "run-a");

    assertThat(answer.body()).isEqualTo(all);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/plain;charset=utf-8");
    assertThat(client.get(OUTPUT, "run-a?offset=499990").body()).isEqualTo("0123456789");
    assertThat(client.get(OUTPUT, "run-a?offset=500001").body()).isEmpty();
    assertThat(client.get(OUTPUT, "run-a?follow=true").body()).isEqualTo(all);
  }

  @Test
  void outputThatEndsWithAPieceHasAnEndToo() {
    endpoint.runs.with(Fixtures.run("run-a", ended("x", OutputBytes.PIECE)));
    endpoint.outputs.append("uid-1", "x".repeat(OutputBytes.PIECE));

    assertThat(client.get(OUTPUT, "run-a").body()).hasSize(OutputBytes.PIECE);
    assertThat(client.get(OUTPUT, "run-a?follow=true").body()).hasSize(OutputBytes.PIECE);
  }

  @Test
  void bytesAreGivenAsTheyAre() throws Exception {
    byte[] all = {(byte) 0xFF, 0, 27, '[', '3', '1', 'm', '\r'};
    endpoint.runs.with(Fixtures.run("run-a", ended("\uFFFD", all.length)));
    endpoint.outputs.append("uid-1", all);

    HttpResponse<byte[]> answer =
        endpoint
            .client()
            .send(
                client.request("GET", "/api/v1/runs/run-a/output", null).build(),
                HttpResponse.BodyHandlers.ofByteArray());

    assertThat(answer.body()).isEqualTo(all);
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
  }

  @Test
  void whereTheStoreCannotBeReachedTheStatusIsGivenIfItHasAll() {
    endpoint.outputs.reachable(false);
    endpoint.runs.with(Fixtures.run("run-a", Fixtures.succeeded("h\u00e9llo")));
    endpoint.runs.with(Fixtures.run("run-b", ended("h", 20_000)));

    assertThat(client.get(OUTPUT, "run-a").body()).isEqualTo("h\u00e9llo");
    assertThat(client.get(OUTPUT, "run-a?offset=3").body()).isEqualTo("llo");
    HttpResponse<String> answer = client.get(OUTPUT, "run-b");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(RestClient.message(answer))
        .contains("could not be reached", "GET /api/v1/runs/run-b has its ends");
  }

  @Test
  void outputThatIsNotStoredAnyMoreIsSaidToBeGone() {
    endpoint.runs.with(Fixtures.run("run-a", ended("h", 20_000)));

    HttpResponse<String> answer = client.get(OUTPUT, "run-a");

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(RestClient.message(answer)).contains("not stored any more");
  }

  @Test
  void aRunThatHasWrittenNothingHasAnEmptyOutput() {
    endpoint.runs.with(Fixtures.run("run-a", null));
    endpoint.runs.with(Fixtures.run("run-b", Fixtures.succeeded("")));

    assertThat(client.get(OUTPUT, "run-a").body()).isEmpty();
    assertThat(client.get(OUTPUT, "run-b").body()).isEmpty();
    assertThat(client.get(OUTPUT, "run-b?follow=true").body()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "offset=-1|'offset' must be a whole number between 0 and 999999999999",
        "offset=1.5|'offset' must be a whole number",
        "follow=yes|'follow' must be true or false",
        "tail=5|Unknown parameter 'tail'; the parameters are follow, offset"
      })
  void aParameterThatCannotBeUsedIsNamed(String query, String message) {
    endpoint.runs.with(Fixtures.run("run-a", null));

    HttpResponse<String> answer = client.get(OUTPUT, "run-a?" + query);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(RestClient.message(answer)).contains(message);
  }

  @Test
  void linesAreGivenAsTheyComeUntilTheRunHasEnded() throws Exception {
    AnalyticsRun run = Fixtures.run("run-a", null);
    endpoint.runs.with(run);
    BufferedReader lines = follow("run-a");
    await(() -> !endpoint.runs.followed().isEmpty());

    endpoint.runs.status(run, BOUND);
    endpoint.outputs.append("uid-1", "one\n");
    assertThat(lines.readLine()).as("before the start is told").isEqualTo("one");
    endpoint.runs.status(run, RUNNING);
    endpoint.outputs.append("uid-1", "two\n");
    assertThat(lines.readLine()).isEqualTo("two");
    endpoint.outputs.append("uid-1", "three");
    endpoint.runs.status(run, ended("one\ntwo\nthree", 13));

    assertThat(lines.readLine()).isEqualTo("three");
    assertThat(lines.readLine()).isNull();
    await(() -> endpoint.runs.followed().isEmpty());
  }

  @Test
  void aRunMayBeSilentForLongerThanAConnectionMayBeIdle() throws Exception {
    AnalyticsRun run = Fixtures.run("run-a", RUNNING);
    endpoint.runs.with(run);
    BufferedReader lines = follow("run-a");

    awaitThatASilentConnectionIsClosed();
    endpoint.outputs.append("uid-1", "late\n");

    assertThat(lines.readLine()).isEqualTo("late");
  }

  @Test
  void aStoreThatIsAwayForAMomentIsWaitedFor() throws Exception {
    AnalyticsRun run = Fixtures.run("run-a", RUNNING);
    endpoint.runs.with(run);
    endpoint.outputs.append("uid-1", "one\n");
    BufferedReader lines = follow("run-a");
    assertThat(lines.readLine()).isEqualTo("one");

    endpoint.outputs.reachable(false).append("uid-1", "two\n");
    endpoint.runs.status(run, ended("one\n\uFFFD", 8));
    endpoint.outputs.reachable(true);

    assertThat(lines.readLine()).isEqualTo("two");
    assertThat(lines.readLine()).isNull();
  }

  @Test
  void ofARunThatIsDeletedTheAnswerIsBrokenOff() throws Exception {
    AnalyticsRun run = Fixtures.run("run-a", RUNNING);
    endpoint.runs.with(run);
    BufferedReader lines = follow("run-a");
    await(() -> !endpoint.runs.followed().isEmpty());

    endpoint.runs.delete(run);

    assertThatThrownBy(lines::readLine).isInstanceOf(IOException.class);
  }

  @Test
  void whoIsGoneIsNotWorkedForAnyMore() throws Exception {
    AnalyticsRun run = Fixtures.run("run-a", RUNNING);
    endpoint.runs.with(run);
    endpoint.outputs.append("uid-1", "one\n");
    try (Socket socket = rawFollow("run-a")) {
      assertThat(socket.getInputStream().readNBytes(12)).asString(UTF_8).contains("200");
      await(() -> !endpoint.runs.followed().isEmpty());
      socket.setSoLinger(true, 0);
    }

    await(
        () -> {
          endpoint.outputs.append("uid-1", "x");
          return endpoint.runs.followed().isEmpty();
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoIsGoneDuringSilenceIsNotWorkedForAnyMore(boolean reset) throws Exception {
    endpoint.runs.with(Fixtures.run("run-a", RUNNING));
    try (Socket socket = rawFollow("run-a")) {
      assertThat(socket.getInputStream().readNBytes(12)).asString(UTF_8).contains("200");
      await(() -> !endpoint.runs.followed().isEmpty());
      if (reset) {
        socket.setSoLinger(true, 0);
      }
    }

    await(() -> endpoint.runs.followed().isEmpty());
  }

  @Test
  void followersTakeNoSlotsOfThoseWhoLoadData() throws Exception {
    endpoint.runs.with(Fixtures.run("run-a", RUNNING));
    try (BufferedReader first = follow("run-a");
        BufferedReader second = follow("run-a")) {
      assertThat(
              client
                  .send("POST", "/api/v1/datasets", "", "{'name': 'a', 'data': 'x'}")
                  .statusCode())
          .isEqualTo(201);
      assertThat(first).isNotSameAs(second);
    }
  }

  @Test
  void whoReadsTooSlowlyIsLetGo() throws Exception {
    AnalyticsRun run = Fixtures.run("run-a", RUNNING);
    endpoint.runs.with(run);
    endpoint.outputs.append("uid-1", "x".repeat(20_000_000));
    try (Socket slow = rawFollow("run-a")) {
      assertThat(slow.getInputStream().readNBytes(12)).asString(UTF_8).contains("200");
      await(() -> !endpoint.runs.followed().isEmpty());
      await(() -> endpoint.runs.followed().isEmpty());
    }
  }

  @Test
  void moreFollowersThanThereMayBeAreAskedToComeAgain() throws Exception {
    endpoint.runs.with(Fixtures.run("run-a", RUNNING));
    try (BufferedReader first = follow("run-a");
        BufferedReader second = follow("run-a")) {
      HttpResponse<String> third = client.get(OUTPUT, "run-a?follow=true");

      assertThat(third.statusCode()).isEqualTo(429);
      assertThat(RestClient.message(third)).contains("2 outputs are in progress");
      assertThat(first).isNotSameAs(second);
    }
  }

  private BufferedReader follow(String run) throws Exception {
    HttpResponse<InputStream> answer =
        endpoint
            .client()
            .send(
                client.request("GET", "/api/v1/runs/" + run + "/output?follow=true", null).build(),
                HttpResponse.BodyHandlers.ofInputStream());
    assertThat(answer.statusCode()).isEqualTo(200);
    return new BufferedReader(new InputStreamReader(answer.body(), UTF_8));
  }

  /** Returns when a connection that was silent from now on has been idle for too long. */
  private void awaitThatASilentConnectionIsClosed() throws IOException {
    try (Socket silent = connect()) {
      String withoutItsBody =
          "POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nX-API-Key: alice-key\r\n"
              + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n";
      silent.getOutputStream().write(withoutItsBody.getBytes(UTF_8));
      silent.getInputStream().readAllBytes();
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
    socket.setSoTimeout(20_000);
    return socket;
  }

  private Socket rawFollow(String run) throws IOException {
    Socket socket = connect();
    socket
        .getOutputStream()
        .write(
            ("GET /api/v1/runs/"
                    + run
                    + "/output?follow=true HTTP/1.1\r\nHost: localhost\r\nX-API-Key: alice-key\r\n\r\n")
                .getBytes(UTF_8));
    return socket;
  }

  private static AnalyticsRunStatus inPod(RunPhase phase, RunReason reason) {
    return AnalyticsRunStatusBuilder.builder()
        .phase(phase)
        .reason(reason)
        .observedGeneration(1L)
        .pod(BoundPodBuilder.builder().name("run-uid-1").uid("pod-uid").build())
        .payloadStarted(PayloadStarted.Unknown)
        .build();
  }

  private static AnalyticsRunStatus ended(String head, long bytes) {
    return Fixtures.status(
        RunPhase.Succeeded,
        RunReason.Completed,
        null,
        PayloadStarted.Yes,
        RunResultBuilder.builder().output(head).outputBytes(bytes).storedBytes(bytes).build());
  }
}
