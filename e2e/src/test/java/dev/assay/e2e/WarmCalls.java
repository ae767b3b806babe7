package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunPhase;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** Calls whose runs have to be given warm Pods, where the classes of the chart have warm pools. */
final class WarmCalls {
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private WarmCalls() {}

  /**
   * Calls again until each run that the call has created was given a warm Pod: a pool that was just
   * used has no idle one. Calls once where there are no pools.
   *
   * @param call makes the call; a run that it uses again does not count
   * @return what the last call has returned
   */
  static <T> T await(Assay assay, Supplier<T> call) {
    if (!assay.installation().hasWarmPools()) {
      return call.get();
    }
    Instant end = Instant.now().plus(PATIENCE);
    while (true) {
      awaitAllPools(assay);
      Set<String> before = names(assay);
      T reply = call.get();
      List<String> cold =
          runs(assay).stream()
              .filter(run -> !before.contains(run.getMetadata().getName()) && isCold(run))
              .map(run -> run.getMetadata().getName())
              .toList();
      if (cold.isEmpty()) {
        return reply;
      }
      assertThat(Instant.now()).as("%s were not given warm Pods", cold).isBefore(end);
    }
  }

  /**
   * Creates runs until one is given a warm Pod, and waits until its code is running; deletes the
   * others. Creates one where there are no pools.
   *
   * @return the run, with its status
   */
  static AnalyticsRun createRunning(Assay assay, Supplier<AnalyticsRun> create) {
    Runs runs = new Runs(assay);
    Instant end = Instant.now().plus(PATIENCE);
    while (true) {
      if (assay.installation().hasWarmPools()) {
        awaitAllPools(assay);
      }
      AnalyticsRun run = create.get();
      AnalyticsRunStatus status = runs.awaitRunning(run);
      run.setStatus(status);
      if (status.phase() == RunPhase.Running
          && !(assay.installation().hasWarmPools() && isCold(run))) {
        return run;
      }
      runs.delete(run);
      assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Running);
      assertThat(Instant.now()).as("no run was given a warm Pod").isBefore(end);
    }
  }

  /**
   * Waits until each class of the chart that has a minimum of idle Pods reports one. The status is
   * up to five seconds old, so that a call may have taken it already.
   */
  private static void awaitAllPools(Assay assay) {
    assay
        .kubernetes()
        .resources(RunClass.class)
        .withLabel("app.kubernetes.io/managed-by", "Helm")
        .list()
        .getItems()
        .stream()
        .filter(found -> found.getSpec().warmPoolLimits().min() > 0)
        .map(found -> found.getMetadata().getName())
        .forEach(
            name -> {
              var unused = Classes.awaitPools(assay, name, PATIENCE, pools -> pools.ready() > 0);
            });
  }

  private static Set<String> names(Assay assay) {
    Set<String> names = new HashSet<>();
    runs(assay).forEach(run -> names.add(run.getMetadata().getName()));
    return names;
  }

  private static List<AnalyticsRun> runs(Assay assay) {
    return assay.runs().inNamespace(assay.namespace()).list().getItems();
  }

  /** A run that was refused has no Pod. */
  private static boolean isCold(AnalyticsRun run) {
    AnalyticsRunStatus status = run.getStatus();
    BoundPod pod = status == null ? null : status.pod();
    return pod != null && !pod.warm();
  }
}
