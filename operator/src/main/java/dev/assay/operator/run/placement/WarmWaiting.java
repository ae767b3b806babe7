package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.PodQueue.Waiting;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.ClaimedPod;
import dev.assay.operator.pool.PoolTemplate;
import dev.assay.operator.pool.PoolTemplates;
import dev.assay.operator.pool.WarmPods;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.execution.WarmRefusals;
import dev.assay.operator.run.queue.WaitingRun;
import dev.assay.operator.runner.Hello;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Runs that wait for an idle Pod of their pool, in turn. */
public final class WarmWaiting {
  private final PoolTemplates templates;
  private final WarmPods pods;
  private final WarmRefusals refusals;
  private final RunResources resources;

  public WarmWaiting(
      PoolTemplates templates, WarmPods pods, WarmRefusals refusals, RunResources resources) {
    this.templates = templates;
    this.pods = pods;
    this.refusals = refusals;
    this.resources = resources;
  }

  /** Whether the supervisor of a warm Pod has refused a run, or what it reads, lately. */
  boolean isRefused(AnalyticsRun run, List<PinnedSnapshot> snapshots) {
    return refusals.contain(
        run.getMetadata().getNamespace(), run.getMetadata().getUid(), snapshots);
  }

  /** The Pod of a pool that is the run's in its turn, of those that can run it. */
  Optional<ClaimedPod> take(AnalyticsRun run, PoolTemplate template, Predicate<Hello> canRun) {
    Optional<ClaimedPod> found = pods.queue().take(template, waiting(run), canRun);
    if (found.isPresent()) {
      pods.queue().served(run.getMetadata().getUid());
    }
    return found;
  }

  /**
   * A run cannot be given a Pod of its pool now. If it waits for one, it must not hold up the
   * others, and does not wait again for ten minutes.
   */
  void leaveToOthers(AnalyticsRun run, RunNamespace namespace) {
    String uid = run.getMetadata().getUid();
    if (pods.queue().contains(uid)) {
      refusals.runRefused(namespace.name(), uid);
      pods.queue().leave(uid);
    }
  }

  /**
   * Has a run that waits for its Pod woken when it may be its turn to take an idle one. One that
   * its pool serves no more, since its class was changed, leaves the queue.
   */
  void await(AnalyticsRun run, RunNamespace namespace, RunClass runClass) {
    pool(run, namespace, runClass)
        .ifPresentOrElse(
            template -> pods.queue().add(template.key(), waiting(run)), () -> stopWaiting(run));
  }

  /** Whether an idle Pod waits that the run may take now. */
  boolean isDue(AnalyticsRun run, RunNamespace namespace, RunClass runClass) {
    return pool(run, namespace, runClass)
        .filter(template -> pods.queue().mayTake(template, waiting(run)))
        .isPresent();
  }

  /** A run waits for no idle Pod any more. */
  void stopWaiting(AnalyticsRun run) {
    pods.queue().leave(run.getMetadata().getUid());
  }

  /** That of a run which is not admitted yet; empty if no pool serves it. */
  private Optional<PoolTemplate> pool(AnalyticsRun run, RunNamespace namespace, RunClass runClass) {
    AnalyticsRunSpec spec = run.getSpec();
    return mayServe(runClass, !spec.inputList().isEmpty(), !spec.datasetNames().isEmpty())
            && !refusals.contain(namespace.name(), run.getMetadata().getUid(), List.of())
        ? templates.find(namespace, runClass, Program.of(spec.language()))
        : Optional.empty();
  }

  private Waiting waiting(AnalyticsRun run) {
    return WaitingRun.of(run, resources);
  }

  /** Whether warm Pods of a class are for such runs. */
  static boolean mayServe(RunClass runClass, boolean readsInputs, boolean readsDatasets) {
    return runClass.getSpec().warmPoolLimits().exist()
        && !readsInputs
        && (!readsDatasets || runClass.getSpec().warmPodsTakeDatasets());
  }
}
