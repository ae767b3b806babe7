package dev.assay.operator.run.status;

import static dev.assay.operator.run.execution.ExecutionFixture.RUN_STATUS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.FakeApiServer.Request;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.run.execution.ExecutionFixture;
import dev.assay.operator.run.status.RunStatusWriter.Bind;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunStatusWriterTest {
  private static final String NONCE = "nonce";
  private static final Ending DONE = Ending.started(RunReason.Completed, "done", null);
  private static final Pod POD =
      new PodBuilder(Samples.runningPod(7333))
          .editSpec()
          .addNewContainer()
          .withName("worker")
          .addNewVolumeMount()
          .withMountPath("/datasets/sales")
          .withName("snapshots")
          .withSubPath("snapshots/" + Samples.DATASET_UID + "/3-0")
          .endVolumeMount()
          .endContainer()
          .endSpec()
          .build();

  private final ExecutionFixture f = new ExecutionFixture();
  private final ManualThreads threads = new ManualThreads();
  private final AtomicInteger events = new AtomicInteger();
  private final RunStatusWriter writer = writer(f.cachedRun());

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void theBindNamesProcessSnapshotsAndTimes() {
    Instant reachable = f.clock.instant();
    f.clock.advance(Duration.ofSeconds(2));
    assertThat(writer.isBound()).isFalse();
    assertThat(writer.bind(NONCE, List.of(), Instant.parse(Samples.CREATED), reachable))
        .isEqualTo(Bind.BOUND);
    assertThat(writer.isBound()).isTrue();
    assertThat(f.status().pod())
        .isEqualTo(
            BoundPodBuilder.builder()
                .name(POD.getMetadata().getName())
                .uid(Samples.POD_UID)
                .nonce(NONCE)
                .dispatcher("execution-1")
                .build());
    assertThat(f.status().snapshots())
        .extracting(PinnedSnapshot::dataset, PinnedSnapshot::path)
        .containsExactly(tuple("sales", "snapshots/" + Samples.DATASET_UID + "/3-0"));
    assertThat(f.status().className()).isEqualTo("python");
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Unknown);
    assertThat(f.status().queueTime()).isEqualTo("2.0s");
    assertThat(Objects.requireNonNull(f.status().timings()).podRunning())
        .isEqualTo("2026-11-01T10:00:00Z");
  }

  @Test
  void aRunThatIsThisPodsAlreadyIsNotWrittenAgain() {
    writer.bind(NONCE, List.of(), Instant.parse(Samples.CREATED), f.clock.instant());
    RunStatusWriter next = writer(f.cachedRun());
    assertThat(next.isBound()).isTrue();
    assertThat(next.bind(NONCE, List.of(), Instant.parse(Samples.CREATED), f.clock.instant()))
        .isEqualTo(Bind.ALREADY_BOUND);
    assertThat(f.reasons()).containsExactly("Bound");
  }

  @Test
  void anEndingOfAnUnboundRunIsNotWrittenOverTheBindOfAnother() {
    writer(f.cachedRun())
        .bind("of-another-leader", List.of(), Instant.parse(Samples.CREATED), f.clock.instant());
    Ending ending = Ending.notStarted(RunReason.RunnerLost, "The key is gone");
    assertThat(writer.finish(ending, RunOrigin.UNKNOWN, false))
        .isEqualTo(RunStatusWriter.Finish.NOT_OURS);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Starting);
  }

  @Test
  void aRunThatHasChangedIsBoundOnTheFreshVersion() {
    f.runBecomes(
        run -> {
          run.getMetadata().getAdditionalProperties().put("x", "y");
          return run;
        });
    assertThat(writer.bind(NONCE, List.of(), Instant.parse(Samples.CREATED), f.clock.instant()))
        .isEqualTo(Bind.BOUND);
    assertThat(f.reasons()).as("refused once").containsExactly("Bound", "Bound");
    assertThat(f.status().phase()).isEqualTo(RunPhase.Starting);
  }

  @Test
  void aRunThatHasEndedMeanwhileIsNotBound() {
    writer(f.cachedRun())
        .finish(Ending.notStarted(RunReason.StartFailed, "too late"), RunOrigin.UNKNOWN, false);
    assertThat(writer.bind(NONCE, List.of(), Instant.parse(Samples.CREATED), f.clock.instant()))
        .isEqualTo(Bind.NOT_BOUND);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
  }

  @Test
  void theStartOfCodeThatRunsOnIsWritten() {
    writer.bind(NONCE, List.of(), Instant.parse(Samples.CREATED), f.clock.instant());
    f.clock.advance(Duration.ofSeconds(1));
    writer.started(events::incrementAndGet);
    f.clock.advance(Duration.ofSeconds(1));
    threads.runAll();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Running);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(Objects.requireNonNull(f.status().timings()).started())
        .as("when it happened, not when it was written")
        .isEqualTo("2026-11-01T10:00:01Z");
    assertThat(events).hasValue(1);
  }

  @Test
  void theStartOfCodeThatHasEndedIsToldWithItsEnd() {
    writer.bind(NONCE, List.of(), Instant.parse(Samples.CREATED), f.clock.instant());
    writer.started(events::incrementAndGet);
    f.clock.advance(Duration.ofMillis(1500));
    assertThat(writer.finish(DONE, RunOrigin.UNKNOWN, true))
        .isEqualTo(RunStatusWriter.Finish.ENDED);
    threads.runAll();
    assertThat(f.reasons()).containsExactly("Bound", "Completed");
    assertThat(events).as("one for its end is enough").hasValue(0);
    assertThat(Objects.requireNonNull(f.status().timings()).started())
        .isEqualTo("2026-11-01T10:00:00Z");
    assertThat(f.status().runTime()).isEqualTo("1.5s");
  }

  @Test
  void eachStateIsWrittenOnTheOneBefore() {
    String read = f.cachedRun().getMetadata().getResourceVersion();
    writer.bind(NONCE, List.of(), Instant.parse(Samples.CREATED), f.clock.instant());
    String bound = f.cachedRun().getMetadata().getResourceVersion();
    writer.started(events::incrementAndGet);
    threads.runAll();
    String started = f.cachedRun().getMetadata().getResourceVersion();
    writer.finish(DONE, RunOrigin.UNKNOWN, true);
    List<String> versions =
        f.api.requests("PATCH", RUN_STATUS).stream()
            .map(Request::body)
            .map(patch -> patch.path(0).path("value").asText())
            .toList();
    assertThat(versions).containsExactly(read, bound, started);
  }

  @Test
  void aRunThatHasEndedDoesNotEndAgain() {
    writer.bind(NONCE, List.of(), Instant.parse(Samples.CREATED), f.clock.instant());
    writer.finish(DONE, RunOrigin.UNKNOWN, true);
    assertThat(
            writer.finish(
                Ending.startUnknown(RunReason.PodLost, "gone", null), RunOrigin.UNKNOWN, false))
        .isEqualTo(RunStatusWriter.Finish.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
  }

  @Test
  void theEndIsWaitedForUntilItIsWritten() {
    List<Boolean> whileItIsWritten = new ArrayList<>();
    f.api.intercept(
        request -> {
          if (request.is("PATCH", ExecutionFixture.RUN_STATUS)) {
            whileItIsWritten.add(writer.endsWithin(Duration.ZERO));
          }
          return Optional.empty();
        });
    writer.finish(Ending.notStarted(RunReason.Cancelled, "it was short"), RunOrigin.UNKNOWN, false);
    assertThat(whileItIsWritten).containsExactly(false);
    assertThat(writer.endsWithin(Duration.ofMinutes(1))).isTrue();
  }

  @Test
  void aRunThatIsGoneIsToldSo() {
    f.api.remove(Samples.run());
    assertThat(writer.bind(NONCE, List.of(), Instant.parse(Samples.CREATED), f.clock.instant()))
        .isEqualTo(Bind.NOT_BOUND);
    assertThat(writer.finish(DONE, RunOrigin.UNKNOWN, true)).isEqualTo(RunStatusWriter.Finish.GONE);
  }

  private RunStatusWriter writer(AnalyticsRun run) {
    return new RunStatusWriter(
        new StatusWriter<>(f.api.client(), AnalyticsRun.class),
        threads,
        f.clock,
        run,
        new RunStatusWriter.Candidate(POD, "execution-1", RunOrigin.snapshots(run, POD)),
        (before, after) -> {});
  }
}
