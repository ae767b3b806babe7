package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.ClaimedPod;
import dev.assay.operator.pool.PoolHistory;
import dev.assay.operator.pool.PoolTemplate;
import dev.assay.operator.pool.PoolTemplates;
import dev.assay.operator.pool.WarmPods;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.runner.Hello;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Gives an admitted run a Pod that waits for one, if there is any: in memory, without a write. */
public final class WarmClaim {
  private final WarmWaiting waiting;
  private final PoolTemplates templates;
  private final WarmPods pods;
  private final PoolHistory history;
  private final NetworkPolicies networkPolicies;

  public WarmClaim(
      WarmWaiting waiting,
      PoolTemplates templates,
      WarmPods pods,
      PoolHistory history,
      NetworkPolicies networkPolicies) {
    this.waiting = waiting;
    this.templates = templates;
    this.pods = pods;
    this.history = history;
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
    if (!WarmWaiting.mayServe(
        runClass, !admitted.inputs().isEmpty(), !admitted.snapshots().isEmpty())) {
      waiting.stopWaiting(run);
      return Optional.empty();
    }
    if (waiting.isRefused(run, admitted.snapshots())) {
      waiting.leaveToOthers(run, namespace);
      return Optional.empty();
    }
    PoolTemplate template = templates.of(namespace, runClass, Program.of(run.getSpec().language()));
    // The policy may have been removed since the Pod was created.
    networkPolicies.ensure(namespace.name());
    Predicate<Hello> canRun = runner -> canOpen(runner, admitted.snapshots());
    Optional<ClaimedPod> found = waiting.take(run, template, canRun);
    history.called(template.key(), run.getMetadata().getUid(), found.isPresent());
    // At one moment: a Pod that another run takes meanwhile is none that this one cannot use.
    if (found.isEmpty() && pods.noneCanRun(template, canRun)) {
      waiting.leaveToOthers(run, namespace);
    }
    return found;
  }

  /** The image of its class may be too old to open any. */
  private static boolean canOpen(Hello runner, List<PinnedSnapshot> snapshots) {
    return snapshots.isEmpty() || runner.supports(Hello.SNAPSHOTS);
  }
}
