package dev.assay.frontend.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunErrorBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.api.v1alpha1.RunResultBuilder;
import dev.assay.api.v1alpha1.RunTimingsBuilder;
import dev.assay.api.v1alpha1.RunUsageBuilder;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.http.RequestMemory;
import dev.assay.frontend.watch.ClusterException;
import java.net.http.HttpResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Tag("slow")
class RestRunsTest {
  private static final String RUNS = "/api/v1/runs";
  private static final String RUN = "/api/v1/runs/{name}";
  private static final String CANCEL = "/api/v1/runs/{name}/cancel";

  private final TestEndpoint endpoint = new TestEndpoint();
  private final RestClient client = new RestClient(endpoint);

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void codeAloneBecomesARunWithTheDefaultsOfThePlatformTeam() {
    HttpResponse<String> answer = client.send("POST", RUNS, "", "{'code': 'print(1)'}");

    assertThat(answer.statusCode()).isEqualTo(201);
    AnalyticsRun run = endpoint.runs.created.getFirst();
    assertThat(answer.headers().firstValue("Location"))
        .hasValue(RUNS + "/" + run.getMetadata().getName());
    assertThat(run.getMetadata().getNamespace()).isEqualTo("runs");
    AnalyticsRunSpec spec = run.getSpec();
    assertThat(spec.code()).isEqualTo("print(1)");
    assertThat(spec.className()).isEqualTo("python");
    assertThat(spec.timeoutSeconds()).isEqualTo(30);
    assertThat(spec.datasets()).isNull();
    assertThat(spec.caller()).isEqualTo("alice");
    assertThat(spec.tool()).isNull();
    JsonNode shown = RestClient.json(answer);
    assertThat(shown.get("name").asString()).isEqualTo(run.getMetadata().getName());
    assertThat(shown.get("phase").asString()).isEqualTo("Pending");
  }

  @Test
  void aRunThatIsWaitedForIsShownAsItEnded() {
    endpoint.runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("42\n")));

    HttpResponse<String> answer =
        client.send("POST", RUNS, "", "{'code': 'print(42)', 'waitSeconds': 600}");

    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(answer.headers().firstValue("Location")).isPresent();
    assertThat(RestClient.json(answer).get("phase").asString()).isEqualTo("Succeeded");
    assertThat(RestClient.json(answer).at("/output/head").asString()).isEqualTo("42\n");
    assertThat(endpoint.runs.followed()).isEmpty();
  }

  @Test
  void aRunThatIsNotWaitedForLongEnoughIsShownAsItIsAndGoesOn() {
    for (int seconds : new int[] {0, 1}) {
      HttpResponse<String> answer =
          client.send("POST", RUNS, "", "{'code': '', 'waitSeconds': " + seconds + "}");

      assertThat(answer.statusCode()).isEqualTo(201);
      assertThat(RestClient.json(answer).get("phase").asString()).isEqualTo("Pending");
    }
    assertThat(endpoint.runs.created).hasSize(2);
    assertThat(endpoint.runs.cancelled).isEmpty();
  }

  @Test
  void whereARunThatIsWaitedForCannotBeFollowedItIsSaidThatItWasCreated() {
    endpoint.runs.readRefusal = ClusterException.unavailable(new RuntimeException());

    HttpResponse<String> answer = client.send("POST", RUNS, "", "{'code': '', 'waitSeconds': 600}");

    String name = endpoint.runs.created.getFirst().getMetadata().getName();
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(RestClient.message(answer))
        .contains("The run was created", "GET /api/v1/runs/" + name);
  }

  @Test
  void everythingCanBeChosen() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));

    HttpResponse<String> answer =
        client.send(
            "POST",
            RUNS,
            "",
            "{'code': '', 'language': 'python', 'dataset': 'Sales_Data', 'runClass': 'large',"
                + " 'timeoutSeconds': 600}");

    assertThat(answer.statusCode()).isEqualTo(201);
    AnalyticsRunSpec spec = endpoint.runs.created.getFirst().getSpec();
    assertThat(spec.datasets()).containsExactly("sales-data");
    assertThat(spec.className()).isEqualTo("large");
    assertThat(spec.timeoutSeconds()).isEqualTo(600);
    assertThat(RestClient.json(answer).get("dataset").asString()).isEqualTo("sales-data");
  }

  @Test
  void aRunInSqlAndBuiltinWorkHaveTheFieldsOfTheirSpec() {
    endpoint.datasets.with(Fixtures.dataset("Sales_Data", DatasetPhase.Ready));
    client.send(
        "POST",
        RUNS,
        "",
        "{'code': 'SELECT ?', 'language': 'sql', 'input': [1.0, 'x'], 'replyRows': 5,"
            + " 'cacheName': 'daily'}");
    client.send("POST", RUNS, "", "{'builtin': {'name': 'sample', 'arguments': {'size': 3}}}");

    AnalyticsRunSpec query = endpoint.runs.created.getFirst().getSpec();
    assertThat(query.language()).isEqualTo(Language.SQL);
    assertThat(query.className()).isEqualTo("sql");
    assertThat(query.input()).isEqualTo("[1.0,\"x\"]");
    assertThat(query.replyRows()).isEqualTo(5);
    assertThat(query.cacheName()).isEqualTo("daily");
    AnalyticsRunSpec sample = endpoint.runs.created.getLast().getSpec();
    assertThat(sample.code()).isNull();
    assertThat(sample.language()).isEqualTo(Language.SQL);
    assertThat(sample.builtin()).isEqualTo(new BuiltinSpec(Builtin.SAMPLE, "{\"size\":3}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|give either 'code' or 'builtin'",
        "{'code': '', 'builtin': {'name': 'profile'}}|give either 'code' or 'builtin'",
        "{'builtin': {'name': 'guess'}}|'name' must be one of profile, sample",
        "{'builtin': {'name': 'profile', 'more': 1}}|unknown argument 'more'",
        "{'code': '', 'input': 7}|'input' must be an array or an object, not a number",
        "{'code': '', 'replyRows': 0}|'replyRows' must be between 1 and 1000, not 0",
        "{'code': 7}|'code' must be a string, not a number",
        "{'code': '', 'cod': ''}|unknown argument 'cod'; the arguments are code, language, builtin",
        "{'code': '', 'language': 'r'}|'language' must be one of python, polars, sql",
        "{'code': '', 'dataset': '-'}|'dataset' must have 1 to 63 letters",
        "{'code': '', 'dataset': 'none'}|'dataset' names a dataset that does not exist",
        "{'code': '', 'runClass': 'A!'}|'runClass' must be a name of lower-case letters",
        "{'code': '', 'timeoutSeconds': 601}|'timeoutSeconds' must be between 1 and 600, not 601",
        "{'code': '', 'waitSeconds': 601}|'waitSeconds' must be between 0 and 600, not 601",
        "{'code': '', 'timeoutSeconds': 'x'}|'timeoutSeconds' must be a whole number, not a string",
      })
  void aMemberThatCannotBeUsedIsNamed(String body, String message) {
    HttpResponse<String> answer = client.send("POST", RUNS, "", body);

    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(RestClient.message(answer)).startsWith(message);
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void codeThatIsTooLongIsMeasured() {
    HttpResponse<String> answer =
        client.send("POST", RUNS, "", "{'code': '" + "x".repeat(300_000) + "'}");

    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(RestClient.message(answer))
        .isEqualTo("'code' has 300000 bytes of UTF-8; at most 262144 are allowed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "7", "{", "{'code': '', 'code': ''}", "{} {}"})
  void whatIsNoJsonObjectIsRefused(String body) {
    assertThat(client.send("POST", RUNS, "", body).statusCode()).isEqualTo(400);
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void whatTheClusterSaysIsTold() {
    endpoint.runs.refusal =
        ClusterException.refused(
            "the cluster refused it: exceeded quota: runs", new IllegalStateException());
    HttpResponse<String> refused = client.send("POST", RUNS, "", "{'code': ''}");
    endpoint.runs.refusal = ClusterException.overloaded(new IllegalStateException());
    HttpResponse<String> overloaded = client.send("POST", RUNS, "", "{'code': ''}");
    endpoint.runs.refusal = ClusterException.misconfigured(new IllegalStateException());
    HttpResponse<String> ours = client.send("POST", RUNS, "", "{'code': ''}");
    endpoint.runs.refusal = ClusterException.unavailable(new IllegalStateException());
    HttpResponse<String> unknown = client.send("POST", RUNS, "", "{'code': ''}");

    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(RestClient.message(refused)).contains("exceeded quota");
    assertThat(overloaded.statusCode()).isEqualTo(503);
    assertThat(overloaded.headers().firstValue("Retry-After")).hasValue("1");
    assertThat(RestClient.message(overloaded)).contains("is overloaded").endsWith("retry");
    assertThat(ours.statusCode()).isEqualTo(500);
    assertThat(RestClient.message(ours)).contains("tell the platform team");
    assertThat(unknown.statusCode()).isEqualTo(503);
    assertThat(RestClient.message(unknown))
        .containsPattern("whether the run run-\\w{15} was created is not known: GET");
  }

  @Test
  void aRunThatHasEndedIsShownWhole() {
    endpoint.runs.with(Fixtures.run("run-a", failed()));

    JsonNode run = RestClient.json(client.get(RUN, "run-a"));

    assertThat(run.propertyNames())
        .containsExactlyInAnyOrder(
            "name",
            "phase",
            "reason",
            "language",
            "dataset",
            "runClass",
            "caller",
            "createdAt",
            "startedAt",
            "finishedAt",
            "durationMs",
            "payloadStarted",
            "message",
            "timeoutSeconds",
            "cancelRequested",
            "error",
            "output",
            "usage");
    assertThat(run.get("phase").asString()).isEqualTo("Failed");
    assertThat(run.get("reason").asString()).isEqualTo("CodeError");
    assertThat(run.get("durationMs").asLong()).isEqualTo(1250);
    assertThat(run.at("/error/line").asInt()).isEqualTo(2);
    assertThat(run.at("/error/code").asString()).isEqualTo("DIVISION_BY_ZERO");
    assertThat(run.at("/output/head").asString()).isEqualTo("a\uFFFD[31m");
    assertThat(run.at("/output/tail").asString()).isEqualTo("z");
    assertThat(run.at("/output/bytes").asLong()).isEqualTo(100);
    assertThat(run.at("/output/truncated").asBoolean()).isTrue();
    assertThat(run.at("/usage/cpuSeconds").asString()).isEqualTo("1.25");
  }

  @Test
  void aValueIsShownAsTheJsonThatItIs() {
    endpoint.runs.with(
        Fixtures.run(
            "run-a", returning("{\"b\": 1.10, \"a\": [12345678901234567890, \"\u009b\"]}")));

    String body = client.get(RUN, "run-a").body();

    assertThat(body)
        .contains(
            "\"value\":{\"json\":{\"b\": 1.10, \"a\": [12345678901234567890, \"\\u009b\"]},"
                + "\"bytes\":46,\"digest\":\"00\"}");
  }

  @Test
  void ofAValueThatIsTooLongLengthAndDigestAreShown() {
    endpoint.runs.with(Fixtures.run("run-a", returning(null)));

    JsonNode value = RestClient.json(client.get(RUN, "run-a")).get("value");

    assertThat(value.propertyNames()).containsExactly("bytes", "digest");
  }

  @Test
  void aRunThatWasGivenNoClassYetShowsNone() {
    AnalyticsRun waiting = Fixtures.run("run-a", null);
    waiting.setSpec(waiting.getSpec().withClassName(null));
    AnalyticsRun given = Fixtures.run("run-b", AnalyticsRunStatus.EMPTY.withClassName("usual"));
    given.setSpec(waiting.getSpec());
    endpoint.runs.with(waiting).with(given);

    assertThat(RestClient.json(client.get(RUN, "run-a")).has("runClass")).isFalse();
    assertThat(RestClient.json(client.get(RUN, "run-b")).get("runClass").asString())
        .isEqualTo("usual");
  }

  private static AnalyticsRunStatus returning(@Nullable String value) {
    RunResult result =
        Fixtures.result("", null).with().value(value).valueBytes(46L).valueDigest("00").build();
    return Fixtures.succeeded("").withResult(result);
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "NONE", "a%20b", "run-b"})
  void aRunThatIsNotInTheCallersNamespaceIsNotFound(String name) {
    AnalyticsRun elsewhere = Fixtures.run("run-b", null);
    elsewhere.getMetadata().setNamespace("other");
    endpoint.runs.with(elsewhere);
    HttpResponse<String> answer = client.get(RUN, name);

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(RestClient.message(answer))
        .startsWith("There is no run '")
        .endsWith("GET /api/v1/runs lists the existing ones");
    assertThat(client.send("POST", CANCEL, name, null).statusCode()).isEqualTo(404);
    assertThat(endpoint.runs.cancelled).isEmpty();
  }

  @Test
  void runsAreListedNewestFirstPageByPage() {
    for (int i = 0; i < 5; i++) {
      AnalyticsRun run = Fixtures.run("run-" + i, i == 3 ? Fixtures.succeeded("") : null);
      run.getMetadata().setCreationTimestamp("2026-01-02T03:04:0" + i + "Z");
      endpoint.runs.with(run);
    }
    AnalyticsRun elsewhere = Fixtures.run("run-x", null);
    elsewhere.getMetadata().setNamespace("other");
    endpoint.runs.with(elsewhere);

    JsonNode first = RestClient.json(client.get(RUNS, "?limit=3"));
    JsonNode last =
        RestClient.json(client.get(RUNS, "?limit=3&continue=" + first.get("continue").asString()));
    JsonNode ended = RestClient.json(client.get(RUNS, "?phase=Succeeded"));

    assertThat(names(first)).containsExactly("run-4", "run-3", "run-2");
    assertThat(names(last)).containsExactly("run-1", "run-0");
    assertThat(last.has("continue")).isFalse();
    assertThat(names(ended)).containsExactly("run-3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "limit=0|The parameter 'limit' must be a whole number between 1 and 500",
        "limit=501|The parameter 'limit' must be a whole number between 1 and 500",
        "limit=x|The parameter 'limit' must be a whole number between 1 and 500",
        "limit=|The parameter 'limit' must be a whole number between 1 and 500",
        "limit=1&limit=2|The parameter 'limit' occurs twice",
        "phase=Done|The parameter 'phase' must be one of Pending, Starting, Running, Succeeded,",
        "continue=!|The parameter 'continue' is not a token that a page returned",
        "continue=YQ|The parameter 'continue' is not a token that a page returned",
        "page=2|Unknown parameter 'page'; the parameters are limit, phase, continue",
      })
  void aParameterThatCannotBeUsedIsNamed(String query, String message) {
    HttpResponse<String> answer = client.get(RUNS, "?" + query);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(RestClient.message(answer)).startsWith(message);
  }

  @Test
  void aRunIsStoppedAndAskingAgainIsTheSame() {
    endpoint.runs.with(
        Fixtures.run("run-a", Fixtures.status(RunPhase.Running, null, null, null, null)));

    HttpResponse<String> first = client.send("POST", CANCEL, "run-a", null);
    HttpResponse<String> second = client.send("POST", CANCEL, "run-a", null);

    assertThat(first.statusCode()).isEqualTo(202);
    assertThat(RestClient.json(first).get("cancelRequested").asBoolean()).isTrue();
    assertThat(second.statusCode()).isEqualTo(202);
    assertThat(endpoint.runs.cancelled).containsOnly("run-a");
  }

  @Test
  void aRunThatHasEndedIsNotStopped() {
    endpoint.runs.with(Fixtures.run("run-a", Fixtures.succeeded("out")));

    HttpResponse<String> answer = client.send("POST", CANCEL, "run-a", null);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(RestClient.json(answer).get("phase").asString()).isEqualTo("Succeeded");
    assertThat(endpoint.runs.cancelled).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "PUT,/api/v1/runs,'POST, GET'",
    "DELETE,/api/v1/runs/run-a,GET",
    "GET,/api/v1/runs/run-a/cancel,POST",
    "POST,/api/v1/openapi.json,GET",
    "HEAD,/api/v1/runs/run-a/cancel,POST",
  })
  void anotherMethodIsToldThoseThatThereAre(String method, String path, String allowed) {
    HttpResponse<String> answer = endpoint.send(client.request(method, path, null).build());

    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).hasValue(allowed);
  }

  @Test
  void headIsAnsweredAsGetWithoutItsBody() {
    endpoint.runs.with(Fixtures.run("run-a", Fixtures.succeeded("out")));
    endpoint.outputs.append("uid-1", "out");
    HttpResponse<String> head = endpoint.send(client.request("HEAD", path("run-a"), null).build());

    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    assertThat(head.headers().firstValue("Content-Length"))
        .isEqualTo(client.get(RUN, "run-a").headers().firstValue("Content-Length"));
    assertThat(endpoint.send(client.request("HEAD", path("run-b"), null).build()).statusCode())
        .isEqualTo(404);
    assertThat(
            endpoint
                .send(client.request("HEAD", path("run-a") + "/output?follow=true", null).build())
                .statusCode())
        .isEqualTo(200);
  }

  private static String path(String run) {
    return RUN.replace("{name}", run);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/v1", "/api/v1/", "/api/v1/runs/", "/api/v1/runs/a/b", "/api/v1/x"})
  void anotherPathIsToldWhereToLook(String path) {
    HttpResponse<String> answer = endpoint.send(client.request("GET", path, null).build());

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(RestClient.message(answer)).contains("GET /api/v1/openapi.json");
  }

  @Test
  void whoMayNotCallIsRefusedAsAtTheOtherEndpoint() {
    var request = client.request("GET", RUNS, null);
    OpenApi openApi = OpenApi.shipped();
    HttpResponse<String> stranger =
        endpoint.send(request.copy().setHeader("Authorization", "Bearer wrong").build());
    HttpResponse<String> tricked =
        endpoint.send(request.copy().header("Origin", "https://evil.example").build());
    HttpResponse<String> form =
        endpoint.send(
            client
                .request("POST", RUNS, "{'code': ''}")
                .setHeader("Content-Type", "application/x-www-form-urlencoded")
                .build());

    assertThat(stranger.statusCode()).isEqualTo(401);
    assertThat(tricked.statusCode()).isEqualTo(403);
    assertThat(form.statusCode()).isEqualTo(415);
    openApi.requireConforming("GET", RUNS, stranger);
    openApi.requireConforming("GET", RUNS, tricked);
    openApi.requireConforming("POST", RUNS, form);
    assertThat(endpoint.runs.created).isEmpty();
  }

  @Test
  void aCharsetThatNobodyKnowsIsNoFault() {
    HttpResponse<String> answer =
        endpoint.send(
            client
                .request("POST", RUNS, "{'code': ''}")
                .setHeader("Content-Type", "application/json; charset=no-such")
                .build());

    assertThat(answer.statusCode()).isEqualTo(201);
  }

  @Test
  void aBrowserOfAnAllowedOriginMayCall() {
    HttpResponse<String> preflight =
        endpoint.send(
            client.request("OPTIONS", RUNS, null).header("Origin", "https://chat.example").build());

    assertThat(preflight.statusCode()).isEqualTo(204);
    assertThat(preflight.headers().firstValue("Access-Control-Allow-Methods"))
        .hasValue("GET, POST, PUT, DELETE");
  }

  @Test
  void aBodyThatThereIsNoMemoryForIsAskedToComeAgain() {
    try (TestEndpoint small =
        new TestEndpoint(16, new RequestMemory(100_000), TestEndpoint.SHORT_TIMES)) {
      HttpResponse<String> answer =
          new RestClient(small).send("POST", RUNS, "", "{'code': '" + "x".repeat(200_000) + "'}");

      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(small.runs.created).isEmpty();
    }
  }

  private static AnalyticsRunStatus failed() {
    RunResult result =
        RunResultBuilder.builder()
            .output("a\u001b[31m")
            .outputTail("z")
            .outputBytes(100)
            .storedBytes(8)
            .truncated(true)
            .outputDigest("00")
            .error(
                RunErrorBuilder.builder()
                    .type("ZeroDivisionError")
                    .message("division by zero")
                    .line(2)
                    .traceback("Traceback")
                    .code("DIVISION_BY_ZERO")
                    .build())
            .build();
    return AnalyticsRunStatusBuilder.builder()
        .phase(RunPhase.Failed)
        .reason(RunReason.CodeError)
        .message("ZeroDivisionError: division by zero")
        .observedGeneration(1L)
        .payloadStarted(PayloadStarted.Yes)
        .timings(
            RunTimingsBuilder.builder()
                .started("2026-01-02T03:04:06.000Z")
                .finished("2026-01-02T03:04:07.250Z")
                .build())
        .runTime("1.3s")
        .usage(RunUsageBuilder.builder().cpuSeconds("1.25").peakMemoryBytes(1000L).build())
        .result(result)
        .build();
  }

  private static List<String> names(JsonNode page) {
    return page.get("items").valueStream().map(item -> item.get("name").asString()).toList();
  }
}
