package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.PodQueue.Waiting;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.ClaimedPod;
import dev.assay.operator.pool.PoolHistory;
import dev.assay.operator.pool.PoolTemplate;
import dev.assay.operator.pool.PoolTemplates;
import dev.assay.operator.pool.WarmPods;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.execution.WarmRefusals;
import dev.assay.operator.run.queue.UndecidedRuns;
import dev.assay.operator.run.queue.WaitingRun;
import dev.assay.operator.runner.Hello;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Gives an admitted run a Pod that waits for one, if there is any: in memory, without a write. */
public final class WarmClaim {
  private final PoolTemplates templates;
  private final WarmPods pods;
  private final PoolHistory history;
  private final WarmRefusals refusals;
  private final UndecidedRuns undecided;
  private final RunResources resources;
  private final NetworkPolicies networkPolicies;

  public WarmClaim(
      PoolTemplates templates,
      WarmPods pods,
      PoolHistory history,
      WarmRefusals refusals,
      UndecidedRuns undecided,
      RunResources resources,
      NetworkPolicies networkPolicies) {
    this.templates = templates;
    this.pods = pods;
    this.history = history;
    this.refusals = refusals;
    this.undecided = undecided;
    this.resources = resources;
    this.networkPolicies = networkPolicies;
  }

  /**
   * The Pod, which no other run is given; empty if the run needs a Pod of its own, or has to wait
   * behind others of its pool.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if its namespace cannot be
   *     isolated now
   */
  Optional<ClaimedPod> take(
      AnalyticsRun run, RunNamespace namespace, RunClass runClass, RunAdmission.Admitted admitted) {
    String uid = run.getMetadata().getUid();
    if (!mayServe(runClass, !admitted.inputs().isEmpty(), !admitted.snapshots().isEmpty())) {
      pods.queue().leave(uid);
      return Optional.empty();
    }
    if (refusals.contain(namespace.name(), uid, admitted.snapshots())) {
      leaveToOthers(run, namespace);
      return Optional.empty();
    }
    PoolTemplate template = templates.of(namespace, runClass, Program.of(run.getSpec().language()));
    // The policy may have been removed since the Pod was created.
    networkPolicies.ensure(namespace.name());
    Predicate<Hello> canRun = runner -> canServe(runner, admitted.snapshots());
    Optional<ClaimedPod> found =
        undecided.take(run, before -> pods.queue().take(template, waiting(run), before, canRun));
    if (found.isPresent()) {
      pods.queue().served(uid);
    }
    history.called(template.key(), uid, found.isPresent());
    // At one moment: a Pod that another run takes meanwhile is none that this one cannot use.
    if (found.isEmpty() && pods.noneCanRun(template, canRun)) {
      leaveToOthers(run, namespace);
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
        .filter(
            template ->
                pods.queue().mayTake(template, waiting(run), () -> undecided.countBefore(run)))
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
  private static boolean mayServe(RunClass runClass, boolean readsInputs, boolean readsDatasets) {
    return runClass.getSpec().warmPoolLimits().exist()
        && !readsInputs
        && (!readsDatasets || runClass.getSpec().warmPodsTakeDatasets());
  }

  /** The image of a class may be older than this. */
  private static boolean canServe(Hello runner, List<PinnedSnapshot> snapshots) {
    return runner.supports(Hello.REFUSE)
        && (snapshots.isEmpty() || runner.supports(Hello.SNAPSHOTS));
  }
}
