package dev.assay.frontend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.frontend.run.RunAccess;
import java.net.URI;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom a run exists for, in every request that can name one. */
class CallersTest {
  private static final String OWNED = "run-a";
  private static final String ABSENT = "run-z";
  private static final byte[] TABLE = "x\n1\n".getBytes(UTF_8);

  /** A request about a run, whose name is RUN. */
  record Named(String method, String path, String body, boolean changes) {
    static Named get(String path) {
      return new Named("GET", path, "", false);
    }

    static Named tool(String name, String arguments) {
      return rpc("tools/call", "'name': '%s', 'arguments': {%s}".formatted(name, arguments));
    }

    static Named rpc(String method, String params) {
      String body = "{'jsonrpc': '2.0', 'id': 1, 'method': '%s', 'params': {%s}}";
      return new Named("POST", "/mcp", body.formatted(method, params), false);
    }

    Named changing() {
      return new Named(method, path, body, true);
    }

    @Override
    public String toString() {
      return path.equals("/mcp") ? body : method + " " + path + " " + body;
    }
  }

  static final List<Named> NAMED =
      List.of(
          Named.get("/api/v1/runs/RUN"),
          Named.get("/api/v1/runs/RUN/output"),
          Named.get("/api/v1/runs/RUN/code"),
          Named.get("/api/v1/runs/RUN/artifacts"),
          Named.get("/api/v1/runs/RUN/artifacts/a.csv"),
          Named.get("/api/v1/runs/RUN/calls"),
          new Named("POST", "/api/v1/runs/RUN/cancel", "", true),
          new Named("POST", "/api/v1/runs", "{'code': '1', 'inputs': [{'run': 'RUN'}]}", false),
          Named.tool("get_run", "'name': 'RUN'"),
          Named.tool("cancel_run", "'name': 'RUN'").changing(),
          Named.tool("analytics_export_result", "'query_id': 'RUN', 'format': 'csv'"),
          Named.tool(
              "analytics_execute_query",
              "'query_type': 'sql', 'query': 'FROM a', 'wait_seconds': 0,"
                  + " 'files': ['assay://runs/RUN/artifacts/a.csv']"),
          Named.tool(
              "execute_custom_analytics_code",
              "'dataset_name': 'sales_data', 'python_code': '1', 'wait_seconds': 0,"
                  + " 'inputs': [{'run': 'RUN'}]"),
          Named.tool("load_dataset", "'dataset_name': 'b', 'from_run': 'RUN', 'path': 'a.csv'"),
          Named.rpc("resources/read", "'uri': 'assay://runs/RUN/output'"),
          Named.rpc("resources/read", "'uri': 'assay://runs/RUN/code'"),
          Named.rpc("resources/read", "'uri': 'assay://runs/RUN/artifacts/a.csv'"));

  static final List<Named> LISTS =
      List.of(
          Named.get("/api/v1/runs"), Named.tool("list_runs", ""), Named.rpc("resources/list", ""));

  /** Of the dataset of Alice that RUN names. */
  static final List<Named> WRITES =
      List.of(
          new Named("DELETE", "/api/v1/datasets/RUN", "", true),
          new Named(
              "POST",
              "/api/v1/datasets",
              "{'name': 'RUN', 'data': 'x', 'format': 'csv', 'replace': true}",
              true),
          new Named("PUT", "/api/v1/datasets/RUN?format=csv&replace=true", "x", true),
          Named.tool("delete_dataset", "'dataset_name': 'RUN'"),
          Named.tool("load_dataset", "'dataset_name': 'RUN', 'text': 'x', 'replace': true"));

  private final TestEndpoint endpoint = new TestEndpoint();

  @BeforeEach
  void aRunOfAlice() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    endpoint.outputs.artifact("uid-1", 1, TABLE);
    put(Map.of());
  }

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private void put(Map<String, String> labels) {
    AnalyticsRun run =
        Fixtures.run(OWNED, Fixtures.left(Fixtures.artifact("a.csv", TABLE, "text/csv")));
    run.getMetadata().setLabels(labels);
    endpoint.runs.with(run);
  }

  /** The status and text of an answer, without what differs between two of the same kind. */
  private String answer(Named request, String key, String run) {
    String body = request.body.replace('\'', '"').replace("RUN", run);
    HttpRequest.Builder sent =
        HttpRequest.newBuilder(URI.create(endpoint.url() + request.path.replace("RUN", run)))
            .header("Authorization", "Bearer " + key)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .method(request.method, HttpRequest.BodyPublishers.ofString(body));
    if (request.path.startsWith("/api")) {
      sent.setHeader("Accept", "*/*");
    }
    var answer = endpoint.send(sent.build());
    return answer.statusCode()
        + " "
        // White space keeps the connection of a slow answer open.
        + answer.body().strip().replace(run, "RUN").replaceAll("request [-0-9a-f]{36}", "");
  }

  @ParameterizedTest
  @FieldSource("NAMED")
  void toAnotherCallerARunLooksLikeOneThatDoesNotExist(Named request) {
    for (String key : List.of("bob-key", "carol-reading-key")) {
      assertThat(answer(request, key, OWNED)).isEqualTo(answer(request, key, ABSENT));
    }
    assertThat(endpoint.runs.cancelled).isEmpty();
    assertThat(endpoint.runs.created).isEmpty();
    assertThat(answer(request, "alice-key", OWNED))
        .isNotEqualTo(answer(request, "alice-key", ABSENT));
  }

  @ParameterizedTest
  @FieldSource("NAMED")
  void aKeyThatMayReadSeesTheRunsOfOthersAndChangesNone(Named request) {
    if (request.changes) {
      endpoint.runs.with(Fixtures.run(OWNED, Fixtures.running()));
    }
    String told = answer(request, "dora-auditing-key", OWNED);

    assertThat(told).isNotEqualTo(answer(request, "dora-auditing-key", ABSENT));
    if (request.changes) {
      assertThat(told).contains("belongs to another caller");
    }
    assertThat(endpoint.runs.cancelled).isEmpty();
  }

  @ParameterizedTest
  @FieldSource("NAMED")
  void aRunThatItsLabelSharesIsReadByAllAndChangedByNoOther(Named request) {
    if (request.changes) {
      AnalyticsRun running = Fixtures.run(OWNED, Fixtures.running());
      running.getMetadata().setLabels(Map.of(RunAccess.SHARED, "true"));
      endpoint.runs.with(running);
      assertThat(answer(request, "bob-key", OWNED)).contains("belongs to another caller");
    } else {
      put(Map.of(RunAccess.SHARED, "true"));
    }

    assertThat(answer(request, "bob-key", OWNED)).isNotEqualTo(answer(request, "bob-key", ABSENT));
    assertThat(endpoint.runs.cancelled).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"alice-key", "erin-leading-key"})
  void itsCallerAndAKeyForAllRunsCancelARun(String key) {
    endpoint.runs.with(Fixtures.run(OWNED, Fixtures.running()));

    NAMED.stream().filter(Named::changes).forEach(request -> answer(request, key, OWNED));

    assertThat(endpoint.runs.cancelled).containsExactly(OWNED, OWNED);
  }

  @ParameterizedTest
  @FieldSource("WRITES")
  void aDatasetIsReplacedAndDeletedByWhoHasLoadedIt(Named request) {
    var loaded = endpoint.datasets.read("runs", "sales-data").orElseThrow();
    for (String key : List.of("bob-key", "carol-reading-key", "dora-auditing-key")) {
      assertThat(answer(request, key, "sales_data"))
          .containsAnyOf("403", "PermissionError")
          .contains("belongs to another caller");
      assertThat(endpoint.datasets.read("runs", "sales-data")).contains(loaded);
    }
    for (String key : List.of("alice-key", "erin-leading-key")) {
      endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
      // The fake takes no bytes of a replaced dataset.
      String done = request.method.equals("PUT") ? "^503 " : "^20[0-9] (?!.*\"isError\":true)";
      assertThat(answer(request, key, "sales_data")).containsPattern(done);
      assertThat(endpoint.datasets.read("runs", "sales-data")).isNotEqualTo(Optional.of(loaded));
    }
  }

  @ParameterizedTest
  @FieldSource("LISTS")
  void listsHaveTheRunsThatACallerMayRead(Named list) {
    assertThat(answer(list, "bob-key", ABSENT)).doesNotContain(OWNED);
    assertThat(answer(list, "alice-key", ABSENT)).contains(OWNED);
    assertThat(answer(list, "dora-auditing-key", ABSENT)).contains(OWNED);
    put(Map.of(RunAccess.SHARED, "true"));
    assertThat(answer(list, "bob-key", ABSENT)).contains(OWNED);
  }
}
