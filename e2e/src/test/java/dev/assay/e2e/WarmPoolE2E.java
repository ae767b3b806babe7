package dev.assay.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Pods that wait for runs: each serves one, and none is left when its class is gone. */
class WarmPoolE2E {
  private static final String CLASS = "e2e-warm";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Long enough to look at the Pod of a run that has ended. */
  private static final int RETENTION_SECONDS = 20;

  @Everywhere
  @Test
  void eachRunIsGivenAnotherPodThatWasThereBefore(Assay assay) {
    Classes.likePython(
        assay,
        CLASS,
        spec -> {
          spec.put("podRetentionSeconds", RETENTION_SECONDS);
          spec.putObject("warmPool").put("min", 1);
        });
    try {
      Set<String> pods = new HashSet<>();
      for (int number = 0; number < 2; number++) {
        BoundPod pod = awaitWarm(assay);
        assertThat(pods.add(pod.uid())).as("a Pod serves one run").isTrue();
      }
    } finally {
      Classes.remove(assay, CLASS);
    }
    awaitNoPods(assay);
  }

  /** Runs code until a run is given a warm Pod: the first may come before the Pod is ready. */
  private static BoundPod awaitWarm(Assay assay) {
    Runs runs = new Runs(assay);
    Instant end = Instant.now().plus(PATIENCE);
    while (true) {
      AnalyticsRun run = runs.create(CLASS, "print(6 * 7)", 20);
      AnalyticsRunStatus status = runs.awaitEnd(run);
      assertThat(status.phase()).isEqualTo(RunPhase.Succeeded);
      assertThat(requireNonNull(status.result()).output()).isEqualTo("42\n");
      BoundPod pod = requireNonNull(status.pod());
      if (pod.warm()) {
        assertThat(pod.name()).startsWith("warm-" + CLASS);
        awaitAdoption(assay, run, pod);
        return pod;
      }
      assertThat(Instant.now()).as("no run was given a warm Pod").isBefore(end);
    }
  }

  /** The Pod becomes that of the run, beside what the run does. */
  private static void awaitAdoption(Assay assay, AnalyticsRun run, BoundPod bound) {
    Pod pod =
        assay
            .kubernetes()
            .pods()
            .inNamespace(assay.namespace())
            .withName(bound.name())
            .waitUntilCondition(
                found -> found != null && found.getMetadata().getLabels().containsKey(Runs.RUN_UID),
                PATIENCE.toSeconds(),
                TimeUnit.SECONDS);
    assertThat(pod.getMetadata().getLabels())
        .containsEntry(Runs.RUN_UID, run.getMetadata().getUid());
    assertThat(pod.getMetadata().getOwnerReferences().getFirst().getKind())
        .isEqualTo("AnalyticsRun");
  }

  private static void awaitNoPods(Assay assay) {
    var unused =
        assay
            .kubernetes()
            .pods()
            .inNamespace(assay.namespace())
            .withLabel("assay.dev/run-class", CLASS)
            .informOnCondition(List::isEmpty)
            .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
            .join();
  }
}
