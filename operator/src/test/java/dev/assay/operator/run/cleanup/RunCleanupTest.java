package dev.assay.operator.run.cleanup;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.Samples.RUN_UID;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.FakeApiServer.Request;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.output.FakeOutputStore;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunTransitions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RunCleanupTest {
  private static final Duration DEFAULT_TTL = Duration.ofHours(1);
  private static final Duration NO_RETENTION = Duration.ZERO;
  private static final Duration RETENTION = Duration.ofMinutes(5);
  private static final Pod RUNNING = Samples.runningPod(7333);
  private static final Pod ENDED =
      new PodBuilder(RUNNING).editStatus().withPhase("Succeeded").endStatus().build();

  private final ManualClock clock = new ManualClock();
  private final FakeApiServer api = new FakeApiServer();
  private final FakeOutputStore outputs = new FakeOutputStore();
  private final RunCleanup cleanup = cleanup(1);
  private final AnalyticsRun run = api.put(finishedRun(null));

  @BeforeEach
  void storeOutput() throws IOException {
    outputs.append(NAMESPACE, RUN_UID, 0, "x".getBytes(UTF_8));
  }

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void anExpiredRunWaitsWhileEnoughOthersAreBeingDeleted() {
    RunCleanup busy = cleanup(0);
    clock.advance(DEFAULT_TTL.multipliedBy(2));

    assertThat(busy.clean(run, Optional.empty(), Optional.empty(), NO_RETENTION))
        .hasValueSatisfying(
            next -> assertThat(next).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(30)));
    assertThat(cleanup.clean(run, Optional.empty(), Optional.empty(), NO_RETENTION))
        .as("deleted")
        .isEmpty();
  }

  @Test
  void aPodThatEndedByItselfIsDeletedAtOnceWhereItsClassKeepsNone() {
    clean(ENDED, NO_RETENTION);
    assertThat(podDeletions()).hasSize(1);
  }

  @Test
  void aPodThatEndedByItselfIsKeptAsLongAsItsClassSays() {
    assertThat(clean(ENDED, RETENTION)).hasValue(RETENTION.plusMillis(1));
    clock.advance(RETENTION.minusMillis(1));
    clean(ENDED, RETENTION);
    assertThat(podDeletions()).isEmpty();
    clock.advance(Duration.ofMillis(1));
    clean(ENDED, RETENTION);
    assertThat(podDeletions()).hasSize(1);
  }

  @Test
  void aPodThatDoesNotEndByItselfIsDeletedWhateverItsClassSays() {
    assertThat(clean(RUNNING, RETENTION))
        .hasValueSatisfying(soon -> assertThat(soon).isLessThan(RETENTION));
    assertThat(podDeletions()).as("its runner has just been told to end").isEmpty();
    clock.advance(Duration.ofSeconds(15));
    clean(RUNNING, RETENTION);
    assertThat(podDeletions()).hasSize(1);
  }

  @Test
  void aPodIsDeletedOnceHoweverOftenTheCacheStillShowsIt() {
    clean(ENDED, NO_RETENTION);
    assertThat(clean(ENDED, NO_RETENTION)).isPresent();
    clean(ENDED, NO_RETENTION);
    assertThat(podDeletions()).hasSize(1);
  }

  @Test
  void aPodThatIsBeingDeletedIsForcedOnlyWhenThatIsOverdue() {
    Pod going =
        new PodBuilder(RUNNING)
            .editMetadata()
            .withDeletionTimestamp(Samples.CREATED)
            .endMetadata()
            .build();
    Optional<Duration> next = clean(going, NO_RETENTION);
    assertThat(podDeletions()).isEmpty();
    clock.advance(next.orElseThrow());
    clean(going, NO_RETENTION);
    assertThat(podDeletions())
        .singleElement()
        .satisfies(
            request -> assertThat(request.body().path("gracePeriodSeconds").asInt(-1)).isZero());
  }

  @Test
  void aPodThatTheRunDidNotUseGoesAtOnceWhateverTheClassKeeps() {
    assertThat(cleanup.clean(run, Optional.of(ENDED), Optional.of(unused(null)), RETENTION))
        .hasValueSatisfying(soon -> assertThat(soon).isLessThan(RETENTION));
    assertThat(podDeletions())
        .singleElement()
        .satisfies(request -> assertThat(request.path()).endsWith("/unused"));
  }

  @Test
  void theDeletionOfAPodThatTheRunDidNotUseIsForcedToo() {
    Optional<Pod> going = Optional.of(unused(Samples.CREATED));
    Optional<Duration> next = cleanup.clean(run, Optional.of(ENDED), going, RETENTION);
    assertThat(podDeletions()).isEmpty();
    clock.advance(next.orElseThrow());
    cleanup.clean(run, Optional.of(ENDED), going, RETENTION);
    assertThat(podDeletions())
        .singleElement()
        .satisfies(
            request -> assertThat(request.body().path("gracePeriodSeconds").asInt(-1)).isZero());
  }

  private static Pod unused(@Nullable String deleted) {
    return new PodBuilder(RUNNING)
        .editMetadata()
        .withName("unused")
        .withUid("uid-of-the-unused")
        .withDeletionTimestamp(deleted)
        .endMetadata()
        .build();
  }

  @Test
  void aRunIsKeptForTheDefaultTimeWhereItNamesNone() {
    assertThat(cleanup.clean(run, Optional.empty(), Optional.empty(), NO_RETENTION))
        .hasValue(DEFAULT_TTL.plusMillis(1));
    clock.advance(DEFAULT_TTL.minusMillis(1));
    cleanup.clean(run, Optional.empty(), Optional.empty(), NO_RETENTION);
    assertThat(api.find(run)).isPresent();
    clock.advance(Duration.ofMillis(1));
    assertThat(cleanup.clean(run, Optional.empty(), Optional.empty(), NO_RETENTION)).isEmpty();
    assertThat(api.find(run)).isEmpty();
    assertThat(outputs.text(NAMESPACE, RUN_UID)).isEmpty();
  }

  @Test
  void aRunThatTookTheNameOfAnExpiredOneIsLeftAlone() {
    clock.advance(DEFAULT_TTL);
    AnalyticsRun next = finishedRun(null);
    next.getMetadata().setUid("another-uid");
    api.put(next);
    cleanup.clean(run, Optional.empty(), Optional.empty(), NO_RETENTION);
    assertThat(api.find(next)).isPresent();
  }

  @Test
  void aRunsOwnTimeGoesBeforeTheDefault() {
    AnalyticsRun brief = api.put(finishedRun(30));
    clock.advance(Duration.ofSeconds(29));
    cleanup.clean(brief, Optional.empty(), Optional.empty(), NO_RETENTION);
    assertThat(api.find(run)).isPresent();
    clock.advance(Duration.ofSeconds(1));
    cleanup.clean(brief, Optional.empty(), Optional.empty(), NO_RETENTION);
    assertThat(api.find(run)).isEmpty();
  }

  @Test
  void aRunThatGoesBeforeItsPodMayGoIsNotKeptForIt() {
    AnalyticsRun brief = finishedRun(30);
    assertThat(cleanup.clean(brief, Optional.of(ENDED), Optional.empty(), RETENTION))
        .hasValue(Duration.ofSeconds(30).plusMillis(1));
  }

  @Test
  void aRunStaysWhileItsOutputCannotBeRemoved() {
    clock.advance(DEFAULT_TTL);
    outputs.failNext(1);
    assertThat(cleanup.clean(run, Optional.empty(), Optional.empty(), NO_RETENTION))
        .hasValue(Duration.ofMinutes(1));
    assertThat(api.find(run)).isPresent();
    cleanup.clean(run, Optional.empty(), Optional.empty(), NO_RETENTION);
    assertThat(api.find(run)).isEmpty();
  }

  private Optional<Duration> clean(Pod pod, Duration retention) {
    return cleanup.clean(run, Optional.of(pod), Optional.empty(), retention);
  }

  private List<Request> podDeletions() {
    return api.requests("DELETE", "/pods/");
  }

  private AnalyticsRun finishedRun(@Nullable Integer ttlSeconds) {
    AnalyticsRunSpec spec =
        AnalyticsRunSpecBuilder.builder()
            .className("python")
            .language(Language.PYTHON)
            .code("1")
            .ttlSecondsAfterFinished(ttlSeconds)
            .build();
    Ending done = Ending.started(RunReason.Completed, "done", null);
    return Samples.run(
        spec,
        RunTransitions.finished(Samples.run(spec, null), done, null, clock.instant())
            .orElseThrow());
  }

  private RunCleanup cleanup(int maxDeletions) {
    return new RunCleanup(
        api.client(),
        new RunnerPods(api.client(), clock),
        new RunOutputs(outputs, clock),
        DEFAULT_TTL,
        maxDeletions,
        clock);
  }
}
