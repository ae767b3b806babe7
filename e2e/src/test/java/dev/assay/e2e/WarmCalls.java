package dev.assay.e2e;

import static java.util.Objects.requireNonNull;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls whose runs have to be given warm Pods, where the classes of the chart have warm pools. */
final class WarmCalls {
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String MANAGED_BY = "app.kubernetes.io/managed-by";

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
      long callsBefore = awaitIdlePods(assay);
      Set<String> before = names(assay);
      T reply = call.get();
      List<AnalyticsRun> created =
          runs(assay).stream()
              .filter(run -> !before.contains(run.getMetadata().getName()) && pod(run) != null)
              .toList();
      awaitCalls(assay, callsBefore + created.size());
      List<String> cold =
          created.stream()
              .filter(WarmCalls::isCold)
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
    if (!assay.installation().hasWarmPools()) {
      return running(runs, create.get());
    }
    Instant end = Instant.now().plus(PATIENCE);
    while (true) {
      long callsBefore = awaitIdlePods(assay);
      AnalyticsRun run = running(runs, create.get());
      if (!isCold(run)) {
        return run;
      }
      runs.delete(run);
      awaitCalls(assay, callsBefore + 1);
      assertThat(Instant.now()).as("no run was given a warm Pod").isBefore(end);
    }
  }

  /** Waits until the code of a run is running; deletes the run if it does not. */
  private static AnalyticsRun running(Runs runs, AnalyticsRun run) {
    try {
      AnalyticsRunStatus status = runs.awaitRunning(run);
      assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Running);
      run.setStatus(status);
      return run;
    } catch (RuntimeException | AssertionError e) {
      runs.delete(run);
      throw e;
    }
  }

  /**
   * Waits until each class of the chart that always has idle Pods reports one.
   *
   * @return how many calls the classes report
   */
  private static long awaitIdlePods(Assay assay) {
    for (RunClass found : classes(assay)) {
      if (found.getSpec().warmPoolLimits().min() > 0) {
        var unused =
            Classes.awaitPools(
                assay, found.getMetadata().getName(), PATIENCE, pools -> pools.ready() > 0);
      }
    }
    return calls(classes(assay));
  }

  private static List<RunClass> classes(Assay assay) {
    return assay
        .kubernetes()
        .resources(RunClass.class)
        .withLabel(MANAGED_BY, "Helm")
        .list()
        .getItems();
  }

  /**
   * Waits until the classes report so many calls. Their status is up to five seconds old, and until
   * then counts Pods as idle that these calls were given.
   */
  private static void awaitCalls(Assay assay, long calls) {
    var unused =
        assay
            .kubernetes()
            .resources(RunClass.class)
            .withLabel(MANAGED_BY, "Helm")
            .informOnCondition(classes -> calls(classes) >= calls)
            .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
            .join();
  }

  private static long calls(List<RunClass> classes) {
    return classes.stream()
        .flatMap(found -> Classes.pools(found).stream())
        .mapToLong(pools -> pools.hits() + pools.misses())
        .sum();
  }

  private static Set<String> names(Assay assay) {
    Set<String> names = new HashSet<>();
    runs(assay).forEach(run -> names.add(run.getMetadata().getName()));
    return names;
  }

  private static List<AnalyticsRun> runs(Assay assay) {
    return assay.runs().inNamespace(assay.namespace()).list().getItems();
  }

  private static boolean isCold(AnalyticsRun run) {
    return !requireNonNull(pod(run)).warm();
  }

  /** That of a run; null if the run was refused. */
  private static @Nullable BoundPod pod(AnalyticsRun run) {
    AnalyticsRunStatus status = run.getStatus();
    return status == null ? null : status.pod();
  }
}
