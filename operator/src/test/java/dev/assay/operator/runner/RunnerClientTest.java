package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.operator.CutStream;
import dev.assay.operator.Samples;
import dev.assay.operator.signing.SigningKey;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunnerClientTest {
  private static final Instant NOW = Instant.parse("2026-11-01T10:00:00Z");
  private static final Job.Limits LIMITS = new Job.Limits(30_000, 60_000, 500, 1024);
  private static final Job JOB =
      new Job.Python("print(1)", null, null, null, null, null, null, null, JobFiles.NONE, LIMITS);

  private static final Duration SOON = Duration.ofSeconds(20);

  private final SigningKey key = SigningKey.generate("k1");
  private final RunnerClient client = new RunnerClient(Clock.fixed(NOW, ZoneOffset.UTC));
  private final FakeRunner runner = new FakeRunner(key);

  @AfterEach
  void stop() {
    runner.close();
    client.close();
  }

  @Test
  void helloTellsWhoAnswers() throws Exception {
    Hello hello = client.hello(runner.address());
    assertThat(hello.podUid()).isEqualTo(Samples.POD_UID);
    assertThat(hello.nonce()).isEqualTo(FakeRunner.NONCE);
    assertThat(hello.state()).isEqualTo("Idle");
  }

  @Test
  void everyRequestIsSignedForThisRunThisPodAndThisProcess() throws Exception {
    runner.on("/v1/start", FakeRunner.events(FakeRunner.started(1)));
    runner.on("/v1/attach", FakeRunner.events(FakeRunner.started(6)));
    runner.on("/v1/cancel", FakeRunner.json(200, "{\"state\":\"Started\"}"));
    runner.on("/v1/ack", FakeRunner.json(200, "{}"));
    client.stage(binding(), JOB);
    try (EventStream events = client.start(binding(), 10_000)) {
      assertThat(events.next()).isEqualTo(new RunnerEvent.Started(1));
    }
    try (EventStream events = client.attach(binding(), 5, 10_000)) {
      assertThat(events.next()).isEqualTo(new RunnerEvent.Started(6));
    }
    client.cancel(binding());
    client.ack(binding(), 6);
    assertThat(runner.accepted())
        .extracting(body -> body.path("op").asText())
        .containsExactly("stage", "start", "attach", "cancel", "ack");
    for (JsonNode body : runner.accepted()) {
      assertThat(body.path("namespace").asText()).isEqualTo(Samples.NAMESPACE);
      assertThat(body.path("runUid").asText()).isEqualTo(Samples.RUN_UID);
      assertThat(body.path("notAfter").asLong()).isEqualTo(NOW.plusSeconds(600).toEpochMilli());
    }
    assertThat(runner.accepted().get(2).path("afterSeq").asLong()).isEqualTo(5);
    assertThat(runner.accepted().get(4).path("seq").asLong()).isEqualTo(6);
  }

  @Test
  void anUploadIsSignedBesideItsBytes() throws Exception {
    byte[] bytes = "a\n1\n".repeat(100_000).getBytes(UTF_8);
    runner.on("/v1/source", FakeRunner.received(bytes));
    Job.Upload received = client.upload(binding(), bytes.length, new ByteArrayInputStream(bytes));
    assertThat(received.bytes()).isEqualTo(bytes.length);
    assertThat(runner.ops()).containsExactly("source");
    assertThat(runner.accepted().getFirst().path("bytes").asLong()).isEqualTo(bytes.length);
    assertThat(runner.uploads()).singleElement().isEqualTo(bytes);
  }

  @Test
  void anEmptyUploadIsOneToo() throws Exception {
    runner.on("/v1/source", FakeRunner.received(new byte[0]));
    assertThat(client.upload(binding(), 0, InputStream.nullInputStream()).bytes()).isZero();
  }

  @Test
  void anUploadThatBreaksOffDoesNotArrive() {
    runner.on("/v1/source", FakeRunner.received(new byte[0]));
    InputStream cut =
        new SequenceInputStream(new ByteArrayInputStream(new byte[100_000]), new CutStream());
    assertThatThrownBy(() -> client.upload(binding(), 200_000, cut))
        .isInstanceOf(IOException.class);
    assertThat(runner.uploads()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "[]", "{}", "{\"bytes\":2}", "{\"bytes\":\"1\",\"sha256\":[]}"})
  void anAnswerThatTellsOfNoUploadIsNoUpload(String answer) {
    runner.on("/v1/source", FakeRunner.json(200, answer));
    assertThatThrownBy(
            () -> client.upload(binding(), 1, new ByteArrayInputStream("a".getBytes(UTF_8))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("different bytes");
  }

  @Test
  void anUploadThatArrivedAsOtherBytesIsNone() {
    runner.on("/v1/source", FakeRunner.received("b".getBytes(UTF_8)));
    assertThatThrownBy(
            () -> client.upload(binding(), 1, new ByteArrayInputStream("a".getBytes(UTF_8))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("different bytes");
  }

  @Test
  void artifactsAreFetchedByTheirNumbersFromARunnerThatSendsOneAtATime() throws Exception {
    byte[] bytes = "a,b\n".repeat(50_000).getBytes(UTF_8);
    runner.artifacts.put(3, bytes);
    runner.artifacts.put(5, new byte[0]);
    try (ArtifactFetch fetch =
        client.artifacts(
            binding(), List.of(artifact(3, bytes.length), artifact(4, 2), artifact(5, 0)), SOON)) {
      assertThat(fetch.next().orElseThrow().readAllBytes()).isEqualTo(bytes);
      assertThat(fetch.next()).as("one that the runner does not have").isEmpty();
      assertThat(fetch.next().orElseThrow().read()).isEqualTo(-1);
    }
    assertThat(runner.ops()).containsExactly("artifact", "artifact", "artifact");
    assertThat(runner.accepted().getFirst().path("number").asInt()).isEqualTo(3);
  }

  @Test
  void artifactsAreFetchedWithOneRequestFromARunnerThatCanSendThem() throws Exception {
    byte[] bytes = "a,b\n".repeat(50_000).getBytes(UTF_8);
    runner.artifacts.put(1, new byte[9]);
    runner.artifacts.put(3, bytes);
    runner.artifacts.put(5, new byte[0]);
    try (ArtifactFetch fetch =
        client.artifacts(
            streaming(),
            List.of(artifact(3, bytes.length), artifact(4, 2), artifact(5, 0)),
            SOON)) {
      assertThat(fetch.next().orElseThrow().readAllBytes()).isEqualTo(bytes);
      assertThat(fetch.next()).as("one that is lost").isEmpty();
      assertThat(fetch.next().orElseThrow().read()).isEqualTo(-1);
    }
    assertThat(runner.ops()).containsExactly("artifacts");
    assertThat(runner.accepted().getFirst().path("from").asInt()).isEqualTo(3);
  }

  @Test
  void anArtifactOfAnotherLengthIsNotRead() throws Exception {
    runner.artifacts.put(1, new byte[10]);
    for (long announced : new long[] {9, 11}) {
      for (Binding binding : List.of(binding(), streaming())) {
        assertThatThrownBy(() -> fetch(binding, announced))
            .isInstanceOf(ArtifactLostException.class);
      }
    }
  }

  @Test
  void anArtifactUnderAnotherNumberIsNotRead() {
    runner.on("/v1/artifacts", FakeRunner.framed(FakeRunner.frame(2, new byte[10])));
    assertThatThrownBy(() -> fetch(streaming(), 10))
        .isInstanceOf(ArtifactLostException.class)
        .hasMessageContaining("another artifact");
  }

  @Test
  void artifactsWithoutALengthAreNotRead() {
    FakeRunner.Answer chunked =
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write(new byte[10]);
        };
    runner.on("/v1/artifact", chunked);
    runner.on("/v1/artifacts", chunked);
    for (Binding binding : List.of(binding(), streaming())) {
      assertThatThrownBy(() -> fetch(binding, 10)).isInstanceOf(ArtifactLostException.class);
    }
  }

  @Test
  void moreBytesThanWereAnnouncedAreNotRead() {
    runner.on(
        "/v1/artifacts",
        FakeRunner.framed(FakeRunner.frame(1, new byte[10]), FakeRunner.frame(2, new byte[1])));
    assertThatThrownBy(() -> fetch(streaming(), 10))
        .isInstanceOf(ArtifactLostException.class)
        .hasMessageContaining("another number of bytes");
  }

  @Test
  void anArtifactThatBreaksOffOrStallsIsLost() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    for (boolean stalls : new boolean[] {false, true}) {
      FakeRunner.Answer part =
          exchange -> {
            exchange.sendResponseHeaders(200, 22);
            exchange.getResponseBody().write(FakeRunner.frame(1, new byte[10]), 0, 16);
            exchange.getResponseBody().flush();
            if (!stalls) {
              throw new IOException("cut");
            }
            awaitQuietly(end);
          };
      runner.on("/v1/artifact", part);
      runner.on("/v1/artifacts", part);
      Duration atMost = stalls ? Duration.ofMillis(50) : SOON;
      assertThatThrownBy(() -> fetch(binding(), 22, atMost))
          .isInstanceOf(ArtifactLostException.class);
      assertThatThrownBy(() -> fetch(streaming(), 10, atMost))
          .isInstanceOf(ArtifactLostException.class);
    }
    end.countDown();
  }

  private void fetch(Binding binding, long announced) throws Exception {
    fetch(binding, announced, SOON);
  }

  private void fetch(Binding binding, long announced, Duration atMost) throws Exception {
    try (ArtifactFetch fetch = client.artifacts(binding, List.of(artifact(1, announced)), atMost)) {
      byte[] unused = fetch.next().orElseThrow().readAllBytes();
    }
  }

  private static RunnerEvent.Artifact artifact(int number, long bytes) {
    return new RunnerEvent.Artifact(number + 1, number, "path " + number, bytes, null);
  }

  private Binding streaming() {
    Binding binding = binding();
    return new Binding(
        binding.address(),
        binding.namespace(),
        binding.runUid(),
        binding.podUid(),
        binding.nonce(),
        binding.key(),
        List.of(Hello.ARTIFACT_STREAM));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void artifactsThatARunnerDoesNotHaveAreRefused() {
    assertThatThrownBy(() -> fetch(streaming(), 10))
        .isInstanceOf(RunnerRefusedException.class)
        .hasMessageContaining("NotFound");
  }

  @Test
  void anInputIsSignedBesideItsBytes() throws Exception {
    byte[] bytes = "a\n1\n".repeat(100_000).getBytes(UTF_8);
    runner.on("/v1/input", FakeRunner.json(200, "{}"));
    client.input(binding(), 2, bytes.length, "5f", new ByteArrayInputStream(bytes));
    JsonNode head = runner.accepted().getFirst();
    assertThat(head.path("op").asText()).isEqualTo("input");
    assertThat(head.path("number").asInt()).isEqualTo(2);
    assertThat(head.path("bytes").asLong()).isEqualTo(bytes.length);
    assertThat(head.path("sha256").asText()).isEqualTo("5f");
    assertThat(runner.uploads()).singleElement().isEqualTo(bytes);
  }

  @Test
  void theProtocolsMembersAreSentAndNoOthers() throws Exception {
    client.stage(binding(), JOB);
    List<String> members = new ArrayList<>();
    JsonNode body = runner.accepted().getFirst();
    body.fieldNames().forEachRemaining(members::add);
    assertThat(members)
        .containsExactlyInAnyOrder(
            "op", "namespace", "runUid", "podUid", "nonce", "notAfter", "job");
    assertThat(body.path("job"))
        .hasToString(
            "{\"kind\":\"python\",\"code\":\"print(1)\",\"limits\":{\"timeoutMs\":30000,"
                + "\"startTimeoutMs\":60000,\"stopGraceMs\":500,\"outputBytes\":1024}}");
  }

  @Test
  void theDatasetsOfAJobAreSentInTheirOrder() throws Exception {
    client.stage(
        binding(),
        new Job.Python(
            "",
            null,
            List.of(new Job.Dataset("b", null, null), new Job.Dataset("a", null, null)),
            null,
            null,
            null,
            null,
            null,
            JobFiles.NONE,
            LIMITS));
    assertThat(runner.accepted().getFirst().path("job").path("datasets"))
        .hasToString("[{\"name\":\"b\"},{\"name\":\"a\"}]");
  }

  @Test
  void anotherKeyIsNotTrusted() throws Exception {
    Binding stranger = binding(SigningKey.generate("k1"));
    assertThat(
            catchThrowableOfType(RunnerRefusedException.class, () -> client.stage(stranger, JOB))
                .code())
        .isEqualTo("BadSignature");
    assertThat(runner.accepted()).isEmpty();
  }

  @Test
  void aRefusalTellsItsCode() {
    runner.on("/v1/stage", FakeRunner.refusal(409, "RunMismatch"));
    assertThat(refusal(client)).hasMessageContaining("409").returns("RunMismatch", e -> e.code());
  }

  @Test
  void aRefusalThatIsNotUnderstoodRepeatsNothingOfIt() {
    for (String body :
        List.of("<html>", "", "{\"error\":{\"code\":\"a\\nb; rm -rf\"}}", "{\"error\":7}")) {
      runner.on("/v1/stage", FakeRunner.json(500, body));
      assertThat(refusal(client).code()).isEqualTo("unknown");
    }
  }

  @Test
  void aRedirectIsNotFollowed() {
    String elsewhere = "http://127.0.0.1:" + runner.port() + "/v1/elsewhere";
    runner.on("/v1/hello", FakeRunner.redirect(elsewhere));
    runner.on("/v1/stage", FakeRunner.redirect(elsewhere));
    assertThatThrownBy(() -> client.hello(runner.address()))
        .isInstanceOf(RunnerRefusedException.class)
        .hasMessageContaining("307");
    assertThat(refusal(client)).hasMessageContaining("307");
    assertThat(runner.paths()).containsExactly("/v1/hello", "/v1/stage");
  }

  @Test
  void anAnswerIsBounded() {
    runner.on("/v1/hello", FakeRunner.json(200, " ".repeat(16 * 1024 + 1)));
    runner.on("/v1/stage", FakeRunner.json(500, "x".repeat(1024 * 1024)));
    assertThatThrownBy(() -> client.hello(runner.address()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("16384");
    assertThatThrownBy(() -> client.stage(binding(), JOB)).isInstanceOf(IOException.class);
  }

  @Test
  void whatIsNoHelloIsAPassingFailure() {
    for (String body :
        List.of("", "nonsense", "[]", "{}", "{\"protocol\":1}", "{\"protocol\":\"one\"}")) {
      runner.on("/v1/hello", FakeRunner.json(200, body));
      assertThatThrownBy(() -> client.hello(runner.address()))
          .as(body)
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void compressedEventsAreNotUnpacked() throws Exception {
    runner.on(
        "/v1/start",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Encoding", "gzip");
          FakeRunner.events(FakeRunner.started(1)).to(exchange);
        });
    try (EventStream events = client.start(binding(), 10_000)) {
      assertThat(events.next()).isEqualTo(new RunnerEvent.Started(1));
    }
  }

  private RunnerRefusedException refusal(RunnerClient asking) {
    return catchThrowableOfType(RunnerRefusedException.class, () -> asking.stage(binding(), JOB));
  }

  private Binding binding() {
    return binding(key);
  }

  private Binding binding(SigningKey signing) {
    return new Binding(
        runner.address(),
        Samples.NAMESPACE,
        Samples.RUN_UID,
        Samples.POD_UID,
        FakeRunner.NONCE,
        signing);
  }
}
