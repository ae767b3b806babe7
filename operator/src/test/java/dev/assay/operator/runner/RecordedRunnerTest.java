package dev.assay.operator.runner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.Samples;
import dev.assay.operator.signing.SigningKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What runners sent before the newest additions to the protocol. */
class RecordedRunnerTest {
  private static final Path RECORDED = Path.of("..", "images", "protocol", "recorded");

  private final SigningKey key = SigningKey.generate("k1");
  private final RunnerClient client = new RunnerClient(Clock.systemUTC());
  private final FakeRunner runner = new FakeRunner(key);

  @AfterEach
  void stop() {
    runner.close();
    client.close();
  }

  @Test
  void anOldRunnersHelloNamesOnlyTheFeaturesThatItHas() throws Exception {
    Hello hello = hello("hello.json");
    assertThat(hello.supports(Hello.SOURCES)).isTrue();
    assertThat(hello.supports(Hello.UPLOADS)).isTrue();
    assertThat(hello.supports(Hello.DATASETS)).isFalse();
  }

  @Test
  void theErrorOfAnOldRunnerHasNoCodeAndItsResultNoValue() throws Exception {
    List<RunnerEvent> events = follow("events-python.ndjson");
    assertThat(events).hasSize(3);
    RunnerEvent.Result result = (RunnerEvent.Result) events.getLast();
    RunnerEvent.CodeError error = Objects.requireNonNull(result.error());
    assertThat(error.type()).isEqualTo("KeyError");
    assertThat(error.code()).isNull();
    assertThat(result.value()).isNull();
    assertThat(result.description()).isNull();
  }

  @Test
  void theSnapshotOfAnOldRunnerIsDescribed() throws Exception {
    RunnerEvent.Result result = (RunnerEvent.Result) follow("events-snapshot.ndjson").getLast();
    assertThat(Objects.requireNonNull(result.description()).path("rows").asInt()).isEqualTo(2);
    assertThat(result.value()).isNull();
  }

  @Test
  void aRunnerThatNamesDatasetsHasNoQueriesYet() throws Exception {
    Hello hello = hello("values/hello.json");

    assertThat(hello.supports(Hello.DATASETS)).isTrue();
    assertThat(
            Stream.of(Hello.TABLES, Hello.REPLY, Hello.POLARS, Hello.SQL, Hello.WORKSPACE)
                .filter(hello::supports))
        .isEmpty();
    RunnerEvent.Result failed =
        (RunnerEvent.Result) follow("values/events-python.ndjson").getLast();
    assertThat(Objects.requireNonNull(failed.error()).code()).isNull();
    assertThat(failed.value()).isNull();
    RunnerEvent.Result made =
        (RunnerEvent.Result) follow("values/events-snapshot.ndjson").getLast();
    assertThat(Objects.requireNonNull(made.description()).has("tableColumns")).isFalse();
  }

  @Test
  void aRunnerOfQueriesReturnsValuesAndErrorsWithCodes() throws Exception {
    assertThat(hello("queries/hello.json").supports(Hello.POLARS)).isTrue();
    assertThat(hello("queries/hello.json").supports(Hello.SQL)).isFalse();
    assertThat(hello("queries/hello-jvm.json").supports(Hello.SQL)).isTrue();

    RunnerEvent.Result sum = (RunnerEvent.Result) follow("queries/events-polars.ndjson").getLast();
    assertThat(sum.value()).asString().contains("\"rows\":[[3]]");
    RunnerEvent.Result failed =
        (RunnerEvent.Result) follow("queries/events-polars-error.ndjson").getLast();
    assertThat(Objects.requireNonNull(failed.error()).code()).isEqualTo("QUERY_ERROR");
    assertThat(failed.value()).asString().contains("Did you mean 'sales_2024'?");
    RunnerEvent.Result made =
        (RunnerEvent.Result) follow("queries/events-snapshot.ndjson").getLast();
    assertThat(Objects.requireNonNull(made.description()).path("tableColumns").asInt())
        .isEqualTo(2);
  }

  @Test
  void noRunnerBeforeToolsHasThem() throws Exception {
    for (String file :
        List.of(
            "hello.json", "values/hello.json", "queries/hello.json", "queries/hello-jvm.json")) {
      assertThat(hello(file).supports(Hello.TOOLS)).as(file).isFalse();
      assertThat(hello(file).supports(Hello.JAVASCRIPT)).as(file).isFalse();
    }
  }

  @Test
  void aRunnerOfToolsReportsItsCallsWithTheirArguments() throws Exception {
    assertThat(hello("tools/hello.json").supports(Hello.TOOLS)).isTrue();
    List<RunnerEvent.ToolCall> calls = calls("tools/events-python.ndjson");

    assertThat(calls)
        .extracting(call -> call.call() + " " + call.server() + " " + call.tool())
        .containsExactly("1 store list_orders", "2 store get_order", "3 store get_order");
    assertThat(calls)
        .extracting(RunnerEvent.ToolCall::batch)
        .containsExactly(null, new RunnerEvent.Batch(2, 2, 2), new RunnerEvent.Batch(2, 2, 2));
    assertThat(calls.getFirst().args())
        .asString(UTF_8)
        .isEqualTo("{\"year\":2024,\"city\":\"Zürich\"}");
    assertThat(calls.getLast().args()).asString(UTF_8).isEqualTo("{\"id\":18}");
  }

  @Test
  void answeredCallsAreReportedAgainWithoutTheirArguments() throws Exception {
    assertThat(calls("tools/events-python-again.ndjson"))
        .extracting(RunnerEvent.ToolCall::args)
        .containsExactly(null, null, null);
  }

  @Test
  void aRunnerOfScriptsReportsCallsAndAValue() throws Exception {
    assertThat(hello("tools/hello-javascript.json").supports(Hello.JAVASCRIPT)).isTrue();
    assertThat(calls("tools/events-javascript.ndjson"))
        .extracting(RunnerEvent.ToolCall::batch)
        .containsOnly(new RunnerEvent.Batch(1, 2, 2));
    RunnerEvent.Result result =
        (RunnerEvent.Result) follow("tools/events-javascript.ndjson").getLast();
    assertThat(result.value()).isEqualTo("[2.5,\"UPSTREAM_ERROR\"]");
  }

  private List<RunnerEvent.ToolCall> calls(String file) throws Exception {
    return follow(file).stream()
        .filter(RunnerEvent.ToolCall.class::isInstance)
        .map(RunnerEvent.ToolCall.class::cast)
        .toList();
  }

  private Hello hello(String file) throws Exception {
    runner.on("/v1/hello", FakeRunner.json(200, read(file)));
    return client.hello(runner.address());
  }

  private List<RunnerEvent> follow(String file) throws Exception {
    runner.on("/v1/start", FakeRunner.events(read(file).split("\n")));
    List<RunnerEvent> events = new ArrayList<>();
    try (EventStream stream = client.start(binding(), 100_000)) {
      do {
        events.add(stream.next());
      } while (!(events.getLast() instanceof RunnerEvent.Result));
    }
    return events;
  }

  private static String read(String file) throws IOException {
    return Files.readString(RECORDED.resolve(file));
  }

  private Binding binding() {
    return new Binding(
        runner.address(),
        Samples.NAMESPACE,
        Samples.RUN_UID,
        Samples.POD_UID,
        FakeRunner.NONCE,
        key);
  }
}
