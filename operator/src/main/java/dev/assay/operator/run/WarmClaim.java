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
  private final WarmRefusals refusals;
  private final NetworkPolicies networkPolicies;

  WarmClaim(
      PoolTemplates templates,
      WarmPods pods,
      PoolHistory history,
      WarmRefusals refusals,
      NetworkPolicies networkPolicies) {
    this.templates = templates;
    this.pods = pods;
    this.history = history;
    this.refusals = refusals;
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
        || (!admitted.snapshots().isEmpty() && !runClass.getSpec().warmPodsTakeDatasets())
        || refusals.contain(namespace.name(), run.getMetadata().getUid(), admitted.snapshots())) {
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

  /** The image of a class may be older than this. */
  private static boolean canOpen(Hello runner, List<PinnedSnapshot> snapshots) {
    return snapshots.isEmpty() || runner.supports(Hello.SNAPSHOTS);
  }
}
