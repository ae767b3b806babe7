package dev.assay.frontend.rest;

import static dev.assay.frontend.Await.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.logging.TraceId;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.watch.ClusterException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** Requests that create a run, repeated with their key. */
class IdempotencyTest {
  private static final String RUNS = "/api/v1/runs";
  private static final String SCRIPT = "/api/v1/code/exec";

  private final TestEndpoint endpoint = new TestEndpoint();
  private final RestClient client = new RestClient(endpoint);

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private HttpResponse<String> post(String path, String key, String body) {
    return client.send("POST", path, Map.of("Idempotency-Key", key), body);
  }

  private static String nameOf(HttpResponse<String> answer) {
    return RestClient.json(answer).get("name").asString();
  }

  @Test
  void aRepetitionIsAnsweredWithTheRunOfTheFirstRequest() {
    HttpResponse<String> first = post(RUNS, "order-7", "{'code': '1'}");
    HttpResponse<String> again = post(RUNS, "order-7", "{'code': '1'}");

    assertThat(first.statusCode()).isEqualTo(201);
    assertThat(again.statusCode()).isEqualTo(201);
    assertThat(nameOf(again)).isEqualTo(nameOf(first)).matches("run-[a-z0-9]{26}");
    assertThat(again.headers().firstValue("Location"))
        .isEqualTo(first.headers().firstValue("Location"));
    assertThat(endpoint.runs.created).hasSize(1);
  }

  @Test
  void aRepetitionWaitsForARunThatHasEndedLongAgoNoLonger() {
    HttpResponse<String> first = post(RUNS, "k", "{'code': '1'}");
    endpoint.runs.status(endpoint.runs.created.getFirst(), Fixtures.succeeded("done"));

    HttpResponse<String> again = post(RUNS, "k", "{'code': '1', 'waitSeconds': 60}");

    assertThat(nameOf(again)).isEqualTo(nameOf(first));
    assertThat(RestClient.json(again).get("phase").asString()).isEqualTo("Succeeded");
    assertThat(endpoint.runs.created).hasSize(1);
  }

  /** Both have looked for the run before either has created it. */
  @Test
  void ofTwoRequestsAtTheSameTimeOneCreatesTheRunAndBothHaveIt() {
    HttpResponse<String> first = post(RUNS, "k", "{'code': '1'}");
    endpoint.runs.early.add(nameOf(first));

    HttpResponse<String> second = post(RUNS, "k", "{'code': '1'}");

    assertThat(second.statusCode()).isEqualTo(201);
    assertThat(nameOf(second)).isEqualTo(nameOf(first));
    assertThat(endpoint.runs.created).hasSize(1);
  }

  /** The one that created it died before it could answer. */
  @Test
  void anotherReplicaFindsTheRun() {
    String name = nameOf(post(RUNS, "k", "{'code': '1'}"));
    try (TestEndpoint other = new TestEndpoint()) {
      other.runs.with(endpoint.runs.created.getFirst());

      HttpResponse<String> again =
          other.send(
              new RestClient(other)
                  .request("POST", RUNS, "{'code': '1'}")
                  .header("Idempotency-Key", "k")
                  .build());

      assertThat(nameOf(again)).isEqualTo(name);
      assertThat(other.runs.created).isEmpty();
    }
  }

  @Test
  void aLimitThatItsRunHasExhaustedRefusesNoRepetition() {
    String name = nameOf(post(RUNS, "k", "{'code': '1'}"));
    endpoint.runs.refusal = ClusterException.refused("the namespace is full");

    assertThat(nameOf(post(RUNS, "k", "{'code': '1'}"))).isEqualTo(name);
    assertThat(post(RUNS, "l", "{'code': '1'}").statusCode()).isEqualTo(403);
  }

  @Test
  void aKeyIsForOneRunOnly() {
    var unused = post(RUNS, "k", "{'code': '1'}");

    HttpResponse<String> other = post(RUNS, "k", "{'code': '2'}");
    HttpResponse<String> script = post(SCRIPT, "k", "{'code': '1'}");

    assertThat(other.statusCode()).isEqualTo(409);
    assertThat(RestClient.message(other))
        .startsWith("the idempotency key was used for another run; use another key");
    assertThat(script.statusCode()).isEqualTo(409);
    assertThat(RestClient.json(script).at("/error/code").asString()).isEqualTo("INVALID_REQUEST");
    assertThat(RestClient.json(script).at("/error/message").asString())
        .contains("used for another run");
    assertThat(endpoint.runs.created).hasSize(1);
  }

  /** As somebody could create it with kubectl. */
  @Test
  void aRunOfThatNameWhichIsNotTheCallersIsNotShown() {
    String name = nameOf(post(RUNS, "k", "{'code': '1'}"));
    var run = endpoint.runs.created.getFirst();
    run.setSpec(run.getSpec().withCaller("mallory"));
    endpoint.runs.with(run);

    HttpResponse<String> answer = post(RUNS, "k", "{'code': '1'}");

    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body()).doesNotContain(name);
  }

  @Test
  void theSameKeyOfAnotherCallerIsAnotherRun() {
    String ofAlice = nameOf(post(RUNS, "k", "{'code': '1'}"));

    HttpRequest byBob =
        endpoint
            .request(RUNS, "{\"code\": \"1\"}")
            .header("Authorization", "Bearer bob-key")
            .header("Idempotency-Key", "k")
            .build();

    assertThat(nameOf(endpoint.send(byBob))).isNotEqualTo(ofAlice);
    assertThat(endpoint.runs.created).hasSize(2);
  }

  @Test
  void aRunThatIsGoneIsRunAgain() {
    String name = nameOf(post(RUNS, "k", "{'code': '1'}"));
    endpoint.runs.delete(endpoint.runs.created.getFirst());

    assertThat(nameOf(post(RUNS, "k", "{'code': '1'}"))).isEqualTo(name);
    assertThat(endpoint.runs.created).hasSize(2);
  }

  @Test
  void withoutAKeyEveryRequestIsARunOfItsOwn() {
    var one = client.send("POST", RUNS, "", "{'code': '1'}");
    var two = client.send("POST", RUNS, "", "{'code': '1'}");

    assertThat(nameOf(one)).isNotEqualTo(nameOf(two));
    assertThat(endpoint.runs.created.getFirst().getMetadata().getAnnotations())
        .doesNotContainKey(RunState.REQUEST_SHA256);
  }

  @Test
  void aKeyThatCannotBeOneIsRefusedWhereARunWouldBeCreatedAndIgnoredElsewhere() {
    assertThat(post(RUNS, "two words", "{'code': '1'}").statusCode()).isEqualTo(400);
    HttpResponse<String> tooLong = post(SCRIPT, "k".repeat(129), "{'code': '1'}");
    assertThat(tooLong.statusCode()).isEqualTo(400);
    assertThat(RestClient.message(tooLong))
        .isEqualTo("Idempotency-Key must have 1 to 128 visible ASCII characters");
    assertThat(endpoint.runs.created).isEmpty();
    assertThat(post(RUNS, "k".repeat(128), "{'code': '1'}").statusCode()).isEqualTo(201);
    assertThat(client.send("GET", RUNS, Map.of("Idempotency-Key", "two words"), null).statusCode())
        .isEqualTo(200);
  }

  @Test
  void aScriptGoesOnWhenItsClientIsGoneAndTheRepetitionHasItsValue() throws Exception {
    HttpRequest script =
        client.request("POST", SCRIPT, "{'code': '42'}").header("Idempotency-Key", "k").build();
    CompletableFuture<HttpResponse<String>> lost =
        endpoint.client().sendAsync(script, HttpResponse.BodyHandlers.ofString());
    assertThat(endpoint.runs.started.poll(5, TimeUnit.SECONDS)).isNotNull();
    lost.cancel(true);
    await(() -> endpoint.runs.followed().isEmpty());
    assertThat(endpoint.runs.cancelled).isEmpty();
    endpoint.runs.status(endpoint.runs.created.getFirst(), Fixtures.returned("42"));

    HttpResponse<String> again = post(SCRIPT, "k", "{'code': '42'}");

    assertThat(RestClient.json(again).get("value").asInt()).isEqualTo(42);
    assertThat(endpoint.runs.created).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "execute_custom_analytics_code, python_code, IdempotencyKeyReused",
    "code_execution, code, INVALID_ARGS"
  })
  void aCallOfAToolHasItsKeyInItsMeta(String tool, String argument, String error) {
    endpoint.runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("out\n")));
    endpoint.datasets.with(Fixtures.dataset("sales", DatasetPhase.Ready));
    String first = call(tool, argument, "1");
    String again = call(tool, argument, "1");
    String other = call(tool, argument, "2");

    assertThat(again).isEqualTo(first);
    assertThat(endpoint.runs.created).hasSize(1);
    assertThat(other)
        .contains(error)
        .contains("the idempotency key was used for another run; use another key");
  }

  @Test
  void aQueryHasItsKeyInItsMetaToo() {
    endpoint.runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("")));
    var unused = query("SELECT 1");
    unused = query("SELECT 1");
    String other = query("SELECT 2");

    assertThat(endpoint.runs.created).hasSize(1);
    assertThat(other).contains("Invalid Input").contains("was used for another run");
  }

  @Test
  void aWrongKeyOfAToolThatStartsNoRunIsIgnored() {
    assertThat(send("list_runs", "{}", "\"two words\"")).contains("\"result\"");
    assertThat(send("code_execution", "{\"code\": \"1\"}", "7"))
        .contains("'assay.dev/idempotency-key' of '_meta' must have 1 to 128 visible ASCII");
    assertThat(endpoint.runs.created).isEmpty();
  }

  private String call(String tool, String argument, String code) {
    String dataset = argument.equals("code") ? "" : "\"dataset_name\": \"sales\", ";
    return send(tool, "{" + dataset + "\"" + argument + "\": \"" + code + "\"}", "\"k\"");
  }

  private String query(String sql) {
    return send(
        "analytics_execute_query",
        "{\"query_type\": \"sql\", \"files\": [], \"query\": \"" + sql + "\"}",
        "\"k\"");
  }

  private String send(String tool, String arguments, String key) {
    return JsonMapper.shared()
        .readTree(
            endpoint
                .send(
                    endpoint
                        .request(
                            """
                            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {\
                            "name": "%s", "arguments": %s,\
                            "_meta": {"assay.dev/idempotency-key": %s}}}\
                            """
                                .formatted(tool, arguments, key))
                        .setHeader("Accept", "application/json")
                        .header("Authorization", "Bearer alice-key")
                        .build())
                .body())
        .toString();
  }

  @Test
  void theRunSaysWhatWasAskedForOnlyAsADigest() {
    var unused = post(RUNS, "order-7", "{'code': '1'}");

    assertThat(endpoint.runs.created.getFirst().getMetadata().getAnnotations())
        .containsOnlyKeys(RunState.REQUEST_SHA256, TraceId.ANNOTATION)
        .hasEntrySatisfying(
            RunState.REQUEST_SHA256, digest -> assertThat(digest).matches("[0-9a-f]{64}"));
  }
}
