package dev.assay.operator.run;

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
import dev.assay.operator.runner.Hello;
import java.util.List;
import java.util.Optional;

/** Gives an admitted run a Pod that waits for one, if there is any: in memory, without a write. */
final class WarmClaim {
  private final PoolTemplates templates;
  private final WarmPods pods;
  private final PoolHistory history;
  private final UnopenedSnapshots unopened;
  private final NetworkPolicies networkPolicies;

  WarmClaim(
      PoolTemplates templates,
      WarmPods pods,
      PoolHistory history,
      UnopenedSnapshots unopened,
      NetworkPolicies networkPolicies) {
    this.templates = templates;
    this.pods = pods;
    this.history = history;
    this.unopened = unopened;
    this.networkPolicies = networkPolicies;
  }

  /**
   * The Pod, which no other run is given; empty if the run needs a Pod of its own.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if its namespace cannot be
   *     isolated now
   */
  Optional<ClaimedPod> take(
      AnalyticsRun run, RunNamespace namespace, RunClass runClass, RunAdmission.Admitted admitted) {
    if (!runClass.getSpec().warmPoolLimits().exist()
        || !admitted.inputs().isEmpty()
        || !mayOpen(runClass, admitted.snapshots())) {
      return Optional.empty();
    }
    PoolTemplate template = templates.of(namespace, runClass, Program.of(run.getSpec().language()));
    // The policy may have been removed since the Pod was created.
    networkPolicies.ensure(namespace.name());
    Optional<ClaimedPod> found =
        pods.take(template, runner -> canOpen(runner, admitted.snapshots()));
    history.called(template.key(), run.getMetadata().getUid(), found.isPresent());
    return found;
  }

  /** Whether the warm Pods of a class may take a run that reads these. */
  private boolean mayOpen(RunClass runClass, List<PinnedSnapshot> snapshots) {
    return snapshots.isEmpty()
        || (runClass.getSpec().warmPodsTakeDatasets() && !unopened.contains(snapshots));
  }

  /** The image of a class may be older than this. */
  private static boolean canOpen(Hello runner, List<PinnedSnapshot> snapshots) {
    return snapshots.isEmpty() || runner.supports(Hello.SNAPSHOTS);
  }
}
