package dev.assay.operator.run.execution;

import static dev.assay.operator.Samples.RUN_UID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.Samples;
import dev.assay.operator.kubernetes.StatusWriter;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.Owners;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.status.RunStatusWriter;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PodAdoptionTest {
  private static final String PODS = "/pods/warm-python-1";

  private final ExecutionFixture f = new ExecutionFixture();

  /** Before each attempt after the first. */
  private final List<Duration> pauses = new ArrayList<>();

  @BeforeEach
  void podIsWarm() {
    f.podIsWarm();
  }

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void thePodOfAShortRunIsAdoptedOnceItsCallerIsAnswered() throws Exception {
    assertThat(adoptedAfter(Duration.ofMillis(1500))).containsExactly(Duration.ofMillis(1800));
  }

  @Test
  void thePodOfALongerRunIsAdoptedAfterTwoSeconds() throws Exception {
    assertThat(adoptedAfter(Duration.ofSeconds(3))).containsExactly(Duration.ofSeconds(2));
  }

  @Test
  void thePodOfAShortRunIsAdoptedOnceTheCallersOfOthersAreAnswered() throws Exception {
    f.answers.begin("another-run");
    assertThat(adoptedAfter(Duration.ZERO)).containsExactly(Duration.ofMillis(750));
  }

  @Test
  void aPodThatCannotBeAdoptedNowIsAdoptedLater() throws Exception {
    failFirst(8);
    adopt();
    assertThat(PodState.isAdopted(pod())).isTrue();
    assertThat(pod().getMetadata().getLabels()).containsEntry(Labels.RUN_UID, RUN_UID);
    assertThat(pauses)
        .extracting(Duration::toSeconds)
        .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);
  }

  @Test
  void aPodThatIsGoneIsNotAdoptedAgain() throws Exception {
    f.api.remove(pod());
    adopt();
    assertThat(pauses).isEmpty();
  }

  @Test
  void aPodOfAnotherOwnerIsNotAdoptedAgain() throws Exception {
    AnalyticsRun other = Samples.run();
    other.getMetadata().setUid("another-run");
    f.api.put(
        new PodBuilder(pod())
            .editMetadata()
            .withOwnerReferences(Owners.controller(other))
            .endMetadata()
            .build());
    adopt();
    assertThat(pauses).isEmpty();
    assertThat(PodState.isAdopted(pod())).isFalse();
  }

  @Test
  void aPodWhosePatchIsInvalidForAnotherReasonIsAdoptedLater() throws Exception {
    failFirst(3, FakeApiServer.failure(422, "Invalid", "an admission plugin does not like it"));
    adopt();
    assertThat(PodState.isAdopted(pod())).isTrue();
    assertThat(pauses).hasSize(3);
  }

  @Test
  void aPodWhoseRunWasRemovedIsDeletedWhereItCannotBeAdopted() throws Exception {
    f.api.intercept(
        request -> {
          if (!request.is("PATCH", PODS)) {
            return Optional.empty();
          }
          f.api.remove(Samples.run());
          return Optional.of(FakeApiServer.failure(503, "ServiceUnavailable", "later"));
        });
    adopt();
    assertThat(pauses).hasSize(1);
    assertThat(f.api.requests("PATCH", PODS)).hasSize(1);
    assertThat(f.api.requests("DELETE", PODS)).as("its code would run on").hasSize(1);
  }

  @Test
  void aPodIsAdoptedLaterAlsoWhereItIsUnknownWhetherItsRunExists() throws Exception {
    failFirst(1);
    f.api.intercept(
        request ->
            request.is("GET", "/analyticsruns/") && !pauses.isEmpty()
                ? Optional.of(FakeApiServer.failure(503, "ServiceUnavailable", "later"))
                : Optional.empty());
    adopt();
    assertThat(PodState.isAdopted(pod())).isTrue();
  }

  @Test
  void aLeaderThatEndsAdoptsNoPod() throws Exception {
    new PodAdoption(f.services, f.request(), status(f.request())).begin();
    f.threads.executor().shutdownNow();
    f.threads.awaitIdle();
    assertThat(f.api.requests("PATCH", PODS)).isEmpty();
  }

  private void failFirst(int attempts) {
    failFirst(attempts, FakeApiServer.failure(503, "ServiceUnavailable", "later"));
  }

  private void failFirst(int attempts, FakeApiServer.Answer failure) {
    f.api.intercept(
        request ->
            request.is("PATCH", PODS) && pauses.size() < attempts
                ? Optional.of(failure)
                : Optional.empty());
  }

  /** When the Pod of a run that ends after a time is patched, by the manual clock. */
  private List<Duration> adoptedAfter(Duration runTime) throws Exception {
    Instant begin = f.clock.instant();
    List<Duration> patched = new CopyOnWriteArrayList<>();
    f.api.intercept(
        request -> {
          if (request.is("PATCH", PODS)) {
            patched.add(Duration.between(begin, f.clock.instant()));
          }
          return Optional.empty();
        });
    begin(runTime);
    assertThat(PodState.isAdopted(pod())).isTrue();
    return patched;
  }

  /** Adopts the Pod of a run that has ended, with all further attempts. */
  private void adopt() throws Exception {
    begin(Duration.ZERO);
  }

  private void begin(Duration runTime) throws Exception {
    ExecutionRequest request = f.request();
    f.answers.begin(RUN_UID);
    new PodAdoption(f.services, request, time -> endsWithin(runTime, time), this::after).begin();
    f.threads.awaitIdle();
  }

  /** Advances the clock instead; the run ends after a time. */
  private boolean endsWithin(Duration runTime, Duration time) {
    boolean ends = runTime.compareTo(time) < 0;
    f.clock.advance(ends ? runTime : time);
    if (ends) {
      f.answers.end(RUN_UID);
    }
    return ends;
  }

  private RunStatusWriter status(ExecutionRequest request) {
    return new RunStatusWriter(
        new StatusWriter<>(f.api.client(), AnalyticsRun.class),
        f.threads.executor(),
        f.clock,
        request.run(),
        new RunStatusWriter.Candidate(
            request.pod(), ExecutionFixture.DISPATCHER, request.snapshots()),
        (before, after) -> {});
  }

  private Executor after(Duration pause) {
    pauses.add(pause);
    return Runnable::run;
  }

  private Pod pod() {
    return f.api.read(Samples.warm(Samples.runningPod(1)));
  }
}
