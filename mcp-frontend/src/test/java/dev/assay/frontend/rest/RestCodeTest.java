package dev.assay.frontend.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.script.ScriptErrorCode;
import dev.assay.frontend.watch.ClusterException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Scripts by REST. */
@Tag("slow")
class RestCodeTest {
  private static final String EXECUTION = "/api/v1/code/exec";
  private static final String SCRIPTS = "/api/v1/code/scripts";

  private final TestEndpoint endpoint = new TestEndpoint();
  private final RestClient client = new RestClient(endpoint);

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void aScriptIsAnsweredWithItsValueUnderBothNames() {
    endpoint.runs.operator((fake, run) -> fake.status(run, Fixtures.returned("{\"result\":42}")));

    HttpResponse<String> answer =
        post("{'code': '({result: input.value * 2})', 'input': {'value': 21}}");

    assertThat(answer.statusCode()).isEqualTo(200);
    String name = endpoint.runs.created.getFirst().getMetadata().getName();
    assertThat(answer.headers().firstValue("Location")).hasValue("/api/v1/runs/" + name);
    JsonNode result = RestClient.json(answer);
    assertThat(result.get("ok").asBoolean()).isTrue();
    assertThat(result.get("value")).hasToString("{\"result\":42}").isEqualTo(result.get("result"));
    assertThat(result.get("execution_id").asString()).isEqualTo(name);
    assertThat(endpoint.runs.created.getFirst().getSpec().input()).isEqualTo("{\"value\":21}");
    assertThat(endpoint.runs.created.getFirst().getSpec().tool()).isEqualTo("code_execution");
  }

  @ParameterizedTest
  @ValueSource(strings = {EXECUTION, "/api/v1/runs"})
  void theCodeOfARunThatCallsTheEndpointBackCreatesNoRun(String path) {
    HttpResponse<String> answer =
        endpoint.send(
            client
                .request("POST", path, "{'code': '1'}")
                .header("X-Assay-Tool-Call", "true")
                .build());

    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(RestClient.message(answer))
        .startsWith("The code of a run cannot create runs through call_tool");
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void theStatusIs200WhateverTheScriptDoes() {
    endpoint.runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.status(
                    RunPhase.TimedOut, RunReason.DeadlineExceeded, "m", PayloadStarted.Yes, null)));

    HttpResponse<String> answer = post("{'code': 'for(;;);', 'options': {'timeout_ms': 1}}");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(RestClient.json(answer).at("/error/code").asString()).isEqualTo("TIMEOUT");
    assertThat(RestClient.json(answer).has("result")).isFalse();
    assertThat(endpoint.runs.created.getFirst().getSpec().timeoutMillis()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("dev.assay.frontend.script.InvalidScripts#all")
  void whatIsWrongHasAStatusACodeAndASentenceThatNamesIt(
      String body, ScriptErrorCode code, String message) {
    HttpResponse<String> answer = post(body);

    assertThat(answer.statusCode()).isEqualTo(code == ScriptErrorCode.SCRIPT_NOT_FOUND ? 404 : 400);
    JsonNode result = RestClient.json(answer);
    assertThat(result.get("ok").asBoolean()).isFalse();
    assertThat(result.at("/error/code").asString())
        .isEqualTo(code == ScriptErrorCode.INVALID_ARGS ? "INVALID_REQUEST" : String.valueOf(code));
    assertThat(result.at("/error/message").asString()).isEqualTo(message);
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void whatIsTooLongOrNestedTooDeeplyIsNamed() {
    HttpResponse<String> tooLong =
        post("{'code': '1', 'input': {'a': '" + "x".repeat(300 * 1024) + "'}}");
    assertThat(tooLong.statusCode()).isEqualTo(400);
    assertThat(RestClient.json(tooLong).at("/error/message").asString())
        .startsWith("'input' has 307200 bytes of UTF-8; at most 262144 are allowed");

    HttpResponse<String> deep =
        post("{'code': '1', 'input': " + "{'a':".repeat(10_000) + "1" + "}".repeat(10_001));
    assertThat(deep.statusCode()).isEqualTo(400);
    assertThat(RestClient.message(deep))
        .isEqualTo("'input.a.a' is nested too deeply, or has too long a number or name");
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void aRunThatIsNotCreatedIsNoAnswerOfTheScript() {
    endpoint.runs.refusal = ClusterException.overloaded(new IllegalStateException());
    HttpResponse<String> overloaded = post("{'code': '1'}");
    assertThat(overloaded.statusCode()).isEqualTo(503);
    assertThat(RestClient.json(overloaded).at("/error/message").asString())
        .startsWith("the Kubernetes API is overloaded. The script was not started (request ");

    endpoint.runs.refusal = ClusterException.unavailable(new IllegalStateException());
    HttpResponse<String> unknown = post("{'code': '1'}");
    assertThat(unknown.statusCode()).isEqualTo(503);
    assertThat(RestClient.json(unknown).at("/error/message").asString())
        .contains("whether it was started is not known: GET /api/v1/runs/run-");

    endpoint.runs.refusal = ClusterException.refused("quota", new IllegalStateException());
    assertThat(post("{'code': '1'}").statusCode()).isEqualTo(403);
  }

  @Test
  void aScriptThatTakesAWhileKeepsItsConnectionAliveWithLineFeeds() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    endpoint.runs.operator(
        (fake, run) -> {
          try {
            begun.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          fake.status(run, Fixtures.returned("42"));
        });

    HttpResponse<InputStream> late =
        endpoint
            .client()
            .send(
                client.request("POST", EXECUTION, "{'code': '1'}").build(),
                HttpResponse.BodyHandlers.ofInputStream());
    begun.countDown();

    String body = new String(late.body().readAllBytes(), UTF_8);
    assertThat(late.statusCode()).isEqualTo(200);
    assertThat(body).startsWith("\n");
    assertThat(JsonMapper.shared().readTree(body).get("value").asInt()).isEqualTo(42);
  }

  @Test
  void aClientThatDisconnectsCancelsItsScript() throws Exception {
    CompletableFuture<HttpResponse<String>> answer =
        endpoint
            .client()
            .sendAsync(
                client.request("POST", EXECUTION, "{'code': 'for(;;);'}").build(),
                HttpResponse.BodyHandlers.ofString());
    String name = endpoint.runs.started.take();

    answer.cancel(true);

    assertThat(endpoint.runs.cancelled.poll(10, TimeUnit.SECONDS)).isEqualTo(name);
  }

  @Test
  void scriptsThatAreSwitchedOffAreRefused() {
    try (TestEndpoint off = new TestEndpoint(CodeExecution.OFF)) {
      HttpResponse<String> answer =
          new RestClient(off).send("POST", EXECUTION, "", "{'code': '1'}");

      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(RestClient.json(answer).at("/error/code").asString())
          .isEqualTo("FEATURE_DISABLED");
      assertThat(RestClient.json(answer).at("/error/message").asString())
          .contains("enable_code_execution");
      assertThat(new RestClient(off).get(SCRIPTS).statusCode()).isEqualTo(403);
    }
  }

  @Test
  void storedScriptsAreListedWithoutTheirCode() {
    endpoint.scripts.with("team", "report", Language.TYPESCRIPT, "secret()");

    HttpResponse<String> answer = client.get(SCRIPTS);

    assertThat(RestClient.json(answer))
        .hasToString(
            "{\"items\":[{\"name\":\"report\",\"language\":\"typescript\",\"configMap\":\"team\"}]}");
  }

  private HttpResponse<String> post(String body) {
    return client.send("POST", EXECUTION, "", body);
  }
}
