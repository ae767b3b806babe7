package dev.assay.operator.run.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.run.fixture.Bindings;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StartedRunsTest {
  private static final String CLASS = "python";
  private static final String KEY = StartedRuns.key(Samples.NAMESPACE, CLASS);

  /** What the caches have. */
  private final List<AnalyticsRun> runs = new ArrayList<>();

  private final List<Pod> pods = new ArrayList<>();

  @Test
  void aRunIsFoundFromWhenItHasAPodUntilItsEnd() {
    AnalyticsRun run = run(1, CLASS, null);
    assertThat(started()).as("it waits").isEmpty();
    pods.add(podOf(run, CLASS));
    assertThat(started()).containsExactly("uid-1");
    run.setStatus(bound(run));
    assertThat(started()).containsExactly("uid-1");
    pods.clear();
    assertThat(started()).as("its Pod may be lost: it has not ended").containsExactly("uid-1");
    run.setStatus(bound(run).withPhase(RunPhase.Succeeded));
    pods.add(podOf(run, CLASS));
    assertThat(started()).as("its Pod is kept").isEmpty();
  }

  @Test
  void aRunThatNamesNoClassIsFoundByThatOfItsPodOrOfItsStatus() {
    AnalyticsRun unnamed = run(1, null, null);
    pods.add(podOf(unnamed, CLASS));
    AnalyticsRun settled = run(2, null, null);
    settled.setStatus(bound(settled).withClassName(CLASS));
    AnalyticsRun other = run(3, null, null);
    pods.add(podOf(other, "another"));
    assertThat(started()).containsExactlyInAnyOrder("uid-1", "uid-2");
  }

  @Test
  void aRunIsStartedFromItsPodToItsEnd() {
    Pod pod = Samples.runningPod(7333);
    AnalyticsRun run = Samples.run();
    String name = CLASS;
    run.setSpec(run.getSpec().withClassName(name));
    assertThat(isStarted(run, name, null)).as("it has no Pod").isFalse();
    assertThat(isStarted(run, name, pod)).isTrue();
    assertThat(isStarted(run, "javascript", pod)).isFalse();

    AnalyticsRunStatus bound = Bindings.status(run, Bindings.ownPod("nonce"), Instant.EPOCH);
    run.setStatus(bound);
    assertThat(isStarted(run, name, null)).as("its Pod may be lost: it has not ended").isTrue();
    run.setStatus(bound.withPhase(RunPhase.Succeeded));
    assertThat(isStarted(run, name, pod)).isFalse();
  }

  @Test
  void runsOfOtherClassesAndNamespacesAreNotFound() {
    AnalyticsRun other = run(1, "another", null);
    other.setStatus(bound(other));
    AnalyticsRun elsewhere = run(2, CLASS, null);
    elsewhere.setStatus(bound(elsewhere));
    elsewhere.getMetadata().setNamespace("team-b");
    assertThat(started()).isEmpty();
  }

  @Test
  void runsThatHaveEndedAndPodsWithoutARunAreNotLookedAt() {
    AnalyticsRun run = run(1, CLASS, null);
    AnalyticsRunStatus ended = bound(run).withPhase(RunPhase.Failed);
    run.setStatus(ended);
    assertThat(StartedRuns.keysOf(run)).isEmpty();
    assertThat(StartedRuns.keysOf(Samples.warm(Samples.runningPod(7333)))).isEmpty();
    assertThat(StartedRuns.keysOf(Samples.runningPod(7333))).isEmpty();
  }

  /** As the indexes of the caches find them. */
  private static boolean isStarted(AnalyticsRun run, String className, @Nullable Pod pod) {
    return StartedRuns.isStarted(run, className, () -> Optional.ofNullable(pod));
  }

  private Set<String> started() {
    return StartedRuns.uids(
        CLASS,
        runs.stream().filter(run -> StartedRuns.keysOf(run).contains(KEY)).toList(),
        pods.stream().filter(pod -> StartedRuns.keysOf(pod).contains(KEY)).toList(),
        pod ->
            runs.stream()
                .filter(
                    run ->
                        run.getMetadata()
                            .getUid()
                            .equals(pod.getMetadata().getLabels().get(Labels.RUN_UID)))
                .findFirst(),
        run -> PodOfRun.find(run, this::pod));
  }

  private Optional<Pod> pod(String name) {
    return pods.stream().filter(pod -> pod.getMetadata().getName().equals(name)).findFirst();
  }

  private AnalyticsRun run(
      int number, @Nullable String className, @Nullable AnalyticsRunStatus status) {
    AnalyticsRun run = Samples.run(Samples.run().getSpec().withClassName(className), status);
    run.getMetadata().setName("run-" + number);
    run.getMetadata().setUid("uid-" + number);
    runs.add(run);
    return run;
  }

  private static AnalyticsRunStatus bound(AnalyticsRun run) {
    run.setStatus(null);
    return Bindings.status(run, Bindings.ownPod("nonce"), Instant.EPOCH);
  }

  private static Pod podOf(AnalyticsRun run, String className) {
    return new PodBuilder(Samples.runningPod(7333))
        .editMetadata()
        .withName(PodOfRun.createdName(run))
        .addToLabels(Labels.RUN_UID, run.getMetadata().getUid())
        .addToLabels(Labels.RUN_CLASS, className)
        .endMetadata()
        .build();
  }
}
