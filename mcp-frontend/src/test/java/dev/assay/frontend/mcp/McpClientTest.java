package dev.assay.frontend.mcp;

import static dev.assay.frontend.Await.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The endpoint as a client of the protocol sees it. */
class McpClientTest {
  private final TestEndpoint endpoint = new TestEndpoint();
  private final BlockingQueue<McpSchema.ProgressNotification> progress =
      new LinkedBlockingQueue<>();
  private final McpSyncClient client = client("alice-key");

  @AfterEach
  void stop() {
    client.close();
    endpoint.close();
  }

  private McpSyncClient client(String key) {
    McpSyncClient made =
        McpClient.sync(
                HttpClientStreamableHttpTransport.builder(endpoint.url())
                    .requestBuilder(HttpRequest.newBuilder().header("X-API-Key", key))
                    .build())
            .requestTimeout(Duration.ofMinutes(1))
            .progressConsumer(progress::add)
            .build();
    return made;
  }

  @Test
  void theToolsAreListedWithSchemaAndHints() {
    client.initialize();

    List<McpSchema.Tool> tools = client.listTools().tools();

    assertThat(tools)
        .extracting(McpSchema.Tool::name)
        .containsExactlyInAnyOrder(
            "analytics_profile_dataset",
            "analytics_execute_query",
            "analytics_stream_sample",
            "analytics_export_result",
            "analytics_cache_invalidate",
            "execute_custom_analytics_code",
            "code_execution",
            "search_tools",
            "describe_tools",
            "describe_runtime",
            "describe_dataset",
            "load_dataset",
            "list_datasets",
            "delete_dataset",
            "get_run",
            "list_runs",
            "cancel_run")
        .allMatch(name -> name.matches("^[a-zA-Z0-9_-]{1,64}$"));
    McpSchema.Tool execute =
        tools.stream().filter(tool -> tool.name().startsWith("execute")).findFirst().orElseThrow();
    assertThat(execute.description())
        .contains("the pandas DataFrame df", "also there under their own names")
        .contains("pandas as pd, numpy as np, plotly.express as px")
        .contains("print()")
        .contains("traceback")
        .contains("30 seconds")
        .contains("Basic analysis", "Custom calculation", "Correlations and trend");
    assertThat(execute.inputSchema().toString()).contains("maximum=600");
    assertThat(tools)
        .filteredOn(tool -> Boolean.TRUE.equals(tool.annotations().destructiveHint()))
        .extracting(McpSchema.Tool::name)
        .containsExactlyInAnyOrder(
            "code_execution", "load_dataset", "delete_dataset", "cancel_run");
    assertThat(tools)
        .filteredOn(tool -> Boolean.FALSE.equals(tool.annotations().destructiveHint()))
        .extracting(McpSchema.Tool::name)
        .containsExactly("analytics_cache_invalidate");
    assertThat(tools)
        .filteredOn(tool -> tool.annotations().destructiveHint() == null)
        .allMatch(tool -> Boolean.TRUE.equals(tool.annotations().readOnlyHint()));
  }

  @Test
  void theToolsThatRunPythonAreNotListedAsReadOnlyWherePythonMayCallToolsThatWrite() {
    RunClass python = FakeRunClasses.runClass("python-tools", Purpose.Run, "runner:1", 30, 60);
    python.setSpec(python.getSpec().withTools(new ClassTools(List.of("store"), null, null, null)));
    endpoint.classes.with(python);
    client.initialize();

    assertThat(client.listTools().tools())
        .filteredOn(tool -> Boolean.TRUE.equals(tool.annotations().destructiveHint()))
        .extracting(McpSchema.Tool::name)
        .contains("execute_custom_analytics_code", "analytics_execute_query")
        .doesNotContain("analytics_profile_dataset", "describe_runtime");
  }

  @Test
  void aCallBecomesARunAndItsEndTheReply() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    endpoint.runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("(3, 2)\n")));
    client.initialize();

    McpSchema.CallToolResult result = execute("sales_data", "print(df.shape)");

    assertThat(textOf(result)).isEqualTo("(3, 2)\n");
    assertThat(result.isError()).isFalse();
    AnalyticsRun run = endpoint.runs.created.getFirst();
    assertThat(run.getMetadata().getNamespace()).isEqualTo("runs");
    assertThat(run.getMetadata().getName()).matches("run-[a-z0-9]{15}");
    assertThat(run.getSpec().caller()).isEqualTo("alice");
    assertThat(run.getSpec().tool()).isEqualTo("execute_custom_analytics_code");
    assertThat(run.getSpec().code()).isEqualTo("print(df.shape)");
    assertThat(run.getSpec().datasets()).containsExactly("sales-data");
    assertThat(run.getSpec().timeoutSeconds()).isEqualTo(30);
    assertThat(run.getSpec().requestId()).isNotBlank().hasSizeLessThanOrEqualTo(128);
    assertThat(endpoint.runs.followed()).isEmpty();
  }

  @Test
  void progressIsToldStepByStep() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    endpoint.runs.operator(
        (fake, run) -> {
          fake.status(
              run, Fixtures.status(RunPhase.Starting, RunReason.PodCreated, "up", null, null));
          await(() -> received("starting") >= 1);
          fake.status(run, Fixtures.status(RunPhase.Running, RunReason.Started, "x", null, null));
          await(() -> received("running") >= 3);
          fake.status(run, Fixtures.succeeded("done\n"));
        });
    client.initialize();

    McpSchema.CallToolResult result =
        client.callTool(
            McpSchema.CallToolRequest.builder("execute_custom_analytics_code")
                .arguments(Map.of("dataset_name", "dataset://sales_data", "python_code", "x"))
                .progressToken("t1")
                .build());

    assertThat(textOf(result)).isEqualTo("done\n");
    List<McpSchema.ProgressNotification> told = List.copyOf(progress);
    String run = endpoint.runs.created.getFirst().getMetadata().getName();
    assertThat(told).allMatch(one -> one.progressToken().equals("t1"));
    assertThat(told)
        .extracting(McpSchema.ProgressNotification::message)
        .anyMatch(message -> message.startsWith("queued"))
        .anyMatch(message -> message.startsWith("starting") && message.endsWith(": up"))
        .anyMatch(message -> message.startsWith("running"))
        .allMatch(message -> message.contains("(run " + run + ")"));
    assertThat(told.stream().map(McpSchema.ProgressNotification::progress).toList())
        .doesNotHaveDuplicates();
  }

  /** Read from the stream itself: this client calls its consumer on several threads at once. */
  @Test
  void progressOnlyGoesForward() throws Exception {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    List<Double> told = new CopyOnWriteArrayList<>();
    endpoint.runs.operator(
        (fake, run) -> {
          fake.status(run, Fixtures.status(RunPhase.Running, RunReason.Started, "x", null, null));
          await(() -> told.size() >= 4);
          fake.status(run, Fixtures.succeeded("done\n"));
        });
    String call =
        """
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
          "name": "execute_custom_analytics_code", "_meta": {"progressToken": "t1"},
          "arguments": {"dataset_name": "sales_data", "python_code": "x"}}}""";

    endpoint
        .client()
        .send(
            endpoint.request(call).header("X-API-Key", "alice-key").build(),
            HttpResponse.BodyHandlers.ofLines())
        .body()
        .filter(line -> line.contains("notifications/progress"))
        .map(line -> Json.mapper().readTree(line.substring("data: ".length())))
        .forEach(notification -> told.add(notification.at("/params/progress").asDouble()));

    assertThat(told).hasSizeGreaterThanOrEqualTo(4).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void aDatasetIsLoadedListedAndReplacedOnlyOnRequest() {
    client.initialize();
    Map<String, Object> load = Map.of("dataset_name", "my_data", "text", "a,b\n1,x\n");

    assertThat(textOf(call("list_datasets", Map.of()))).startsWith("No datasets are loaded");
    assertThat(textOf(call("load_dataset", load)))
        .isEqualTo(
            """
            Dataset 'my_data' is ready: 1 rows x 2 columns. Columns:
            - a: int64
            - b: object (3 missing)""");
    McpSchema.CallToolResult again = call("load_dataset", load);
    assertThat(again.isError()).isTrue();
    assertThat(textOf(again)).startsWith("EXECUTION ERROR: FileExistsError: ").contains("replace");
    assertThat(
            textOf(
                call(
                    "load_dataset",
                    Map.of("dataset_name", "my_data", "text", "a\n1\n", "replace", true))))
        .startsWith("Dataset 'my_data' is ready");
    assertThat(textOf(call("list_datasets", Map.of())))
        .isEqualTo("my_data: 1 rows x 2 columns, 9 bytes, Ready");
  }

  @Test
  void aToolOfAGroupAnswersToAllOfItsNames() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    endpoint.runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.returned(
                    """
                    {"table":{"columns":[{"name":"n","type":"BIGINT"}],"rows":[[1]],
                      "totalRows":1},"engine":"duckdb"}""")));
    client.initialize();

    for (String name :
        List.of("analytics_execute_query", "analytics/execute_query", "execute_query")) {
      McpSchema.CallToolResult result =
          call(
              name,
              Map.of(
                  "query_type", "sql", "query", "SELECT 1 AS n", "files", List.of("sales_data")));
      assertThat(result.isError()).isFalse();
      assertThat(textOf(result)).endsWith("n\n1");
    }
  }

  @Test
  void anUnknownToolIsAnErrorOfTheProtocol() {
    client.initialize();

    assertThatThrownBy(() -> call("no_such_tool", Map.of()))
        .isInstanceOf(McpError.class)
        .hasMessageContaining("Unknown tool: no_such_tool");
  }

  @Test
  void aRunThatIsDeletedIsAnswered() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    endpoint.runs.operator(FakeRuns::delete);
    client.initialize();

    McpSchema.CallToolResult result = execute("sales_data", "x");

    assertThat(result.isError()).isTrue();
    assertThat(textOf(result)).startsWith("EXECUTION ERROR: Cancelled: ");
  }

  @Test
  void callsOfOneClientRunSideBySide() throws Exception {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    int calls = 12;
    CountDownLatch inProgress = new CountDownLatch(calls);
    endpoint.runs.operator(
        (fake, run) -> {
          inProgress.countDown();
          await(() -> inProgress.getCount() == 0);
          fake.status(
              run,
              Fixtures.status(
                  RunPhase.Succeeded,
                  RunReason.Completed,
                  null,
                  PayloadStarted.Yes,
                  Fixtures.result(run.getSpec().code(), null)));
        });
    client.initialize();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var answers =
          threads.invokeAll(
              IntStream.range(0, calls)
                  .<Callable<String>>mapToObj(i -> () -> textOf(execute("sales_data", "code " + i)))
                  .toList());
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).get()).isEqualTo("code " + i);
      }
    }
  }

  private McpSchema.CallToolResult execute(String dataset, String code) {
    return call(
        "execute_custom_analytics_code", Map.of("dataset_name", dataset, "python_code", code));
  }

  private McpSchema.CallToolResult call(String tool, Map<String, Object> arguments) {
    return client.callTool(McpSchema.CallToolRequest.builder(tool).arguments(arguments).build());
  }

  private static String textOf(McpSchema.CallToolResult result) {
    return ((McpSchema.TextContent) result.content().getFirst()).text();
  }

  /** How many notifications about one phase have arrived. */
  private long received(String phase) {
    return progress.stream().filter(one -> one.message().startsWith(phase)).count();
  }
}
