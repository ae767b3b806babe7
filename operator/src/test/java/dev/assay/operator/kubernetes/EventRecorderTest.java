package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventRecorderTest {
  private final FakeApiServer api = new FakeApiServer();
  private final ManualThreads threads = new ManualThreads();
  private final EventRecorder recorder =
      new EventRecorder(api.client(), threads, new ManualClock());
  private final AnalyticsRun run = Samples.run();

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void anEventIsOneLineThatATerminalMayShow() {
    recorder.warning(run, "CodeError", "a\u001b[31m\u0007\nb\u202e\u009bc");
    threads.runAll();
    assertThat(api.requests("POST", "/events").getFirst().body().path("message").asText())
        .isEqualTo("a\uFFFD[31m\uFFFD b\uFFFD\uFFFDc");
  }

  @Test
  void anEventIsAboutTheObject() {
    recorder.normal(run, "Started", "The code is running");
    threads.runAll();
    JsonNode event = posted().getFirst();
    JsonNode about = event.path("involvedObject");
    assertThat(about.path("kind").asText()).isEqualTo("AnalyticsRun");
    assertThat(about.path("apiVersion").asText()).isEqualTo("assay.dev/v1alpha1");
    assertThat(about.path("namespace").asText()).isEqualTo(Samples.NAMESPACE);
    assertThat(about.path("name").asText()).isEqualTo("run-1");
    assertThat(about.path("uid").asText()).isEqualTo(Samples.RUN_UID);
    assertThat(event.path("type").asText()).isEqualTo("Normal");
    assertThat(event.path("reason").asText()).isEqualTo("Started");
    assertThat(event.path("message").asText()).isEqualTo("The code is running");
    assertThat(event.path("lastTimestamp").asText()).isEqualTo(Samples.CREATED);
  }

  @Test
  void whatSomebodyMayWantToLookAtIsAWarning() {
    recorder.warning(run, "PodLost", "gone");
    threads.runAll();
    assertThat(posted().getFirst().path("type").asText()).isEqualTo("Warning");
  }

  @Test
  void aMessageIsCutToWhatTheApiServerTakes() {
    recorder.normal(run, "CodeError", "x".repeat(5000));
    threads.runAll();
    assertThat(posted().getFirst().path("message").asText()).isEqualTo("x".repeat(1024));
  }

  @Test
  void nobodyWaitsForAnEvent() {
    recorder.normal(run, "Started", "The code is running");
    assertThat(posted()).isEmpty();
    assertThat(threads.waiting()).isEqualTo(1);
  }

  @Test
  void anApiServerThatRefusesEndsNothing() {
    api.refuse("POST", "/events", 500, "InternalError", "etcd is away");
    recorder.normal(run, "Started", "The code is running");
    threads.runAll();
    recorder.normal(run, "Completed", "The code completed");
    threads.runAll();
    assertThat(posted()).hasSize(2);
  }

  @Test
  void eventsBeyondWhatCanBeWrittenAreDroppedAndLaterOnesAreNot() {
    for (int i = 0; i < 1000; i++) {
      recorder.normal(run, "Started", "The code is running");
    }
    assertThat(threads.waiting()).isEqualTo(256);
    threads.runAll();
    recorder.normal(run, "Completed", "The code completed");
    assertThat(threads.waiting()).isEqualTo(1);
  }

  private List<JsonNode> posted() {
    return api.requests("POST", "/events").stream().map(FakeApiServer.Request::body).toList();
  }
}
