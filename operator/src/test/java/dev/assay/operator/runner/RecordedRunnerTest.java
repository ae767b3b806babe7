package dev.assay.operator.runner;

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
    runner.on("/v1/hello", FakeRunner.json(200, read("hello.json")));
    Hello hello = client.hello(runner.address());
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
