package dev.assay.operator.run.cluster;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.run.status.RunState;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import java.util.function.Function;

/**
 * Decides which Pod is that of a run: once it is bound, the one that its status names; before, the
 * one whose name is derived from the run's UID.
 */
public final class PodOfRun {
  private PodOfRun() {}

  /** The name of a Pod that is created for a run, so that a second creation finds the first. */
  public static String createdName(AnalyticsRun run) {
    return "run-" + run.getMetadata().getUid();
  }

  /**
   * The Pod of a run.
   *
   * @param byName finds a Pod in the run's namespace
   */
  public static Optional<Pod> find(AnalyticsRun run, Function<String, Optional<Pod>> byName) {
    BoundPod bound = RunState.statusOf(run).pod();
    return bound == null
        ? byName.apply(createdName(run))
        : byName.apply(bound.name()).filter(pod -> isBoundPod(pod, bound));
  }

  /**
   * A Pod to delete after the run has ended: its own, or one that another leader has created for it
   * since; not a {@link #superseded} one, nor a warm one that is that of another run: two leaders
   * may have bound a run each to it, and it took the job of the other.
   *
   * @param byName finds a Pod in the run's namespace
   */
  public static Optional<Pod> leftover(AnalyticsRun run, Function<String, Optional<Pod>> byName) {
    return find(run, byName)
        .filter(pod -> !isOfAnotherRun(run, pod))
        .or(
            () ->
                superseded(run, byName).isPresent()
                    ? Optional.empty()
                    : byName.apply(createdName(run)));
  }

  /**
   * A Pod that was created for a run which is bound to another, warm one.
   *
   * @param byName finds a Pod in the run's namespace
   */
  public static Optional<Pod> superseded(AnalyticsRun run, Function<String, Optional<Pod>> byName) {
    BoundPod bound = RunState.statusOf(run).pod();
    return bound == null || !bound.warm()
        ? Optional.empty()
        : byName.apply(createdName(run)).filter(pod -> !isBoundPod(pod, bound));
  }

  private static boolean isOfAnotherRun(AnalyticsRun run, Pod pod) {
    return PodState.isAdopted(pod)
        && !run.getMetadata().getUid().equals(pod.getMetadata().getLabels().get(Labels.RUN_UID));
  }

  private static boolean isBoundPod(Pod pod, BoundPod bound) {
    return pod.getMetadata().getUid().equals(bound.uid());
  }
}
