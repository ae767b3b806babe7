package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.pool.ClaimedPod;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.queue.RunQueue;
import java.util.Optional;

/** Starts runs in warm Pods: new ones, and in their turn those that wait for Pods of their own. */
public final class WarmStarts {
  private final OperatorConfig config;
  private final RunResources resources;
  private final RunQueue queue;
  private final WarmClaim claim;
  private final WarmWaiting waiting;
  private final RunExecutions executions;

  public WarmStarts(
      OperatorConfig config,
      RunResources resources,
      RunQueue queue,
      WarmClaim claim,
      WarmWaiting waiting,
      RunExecutions executions) {
    this.config = config;
    this.resources = resources;
    this.queue = queue;
    this.claim = claim;
    this.waiting = waiting;
    this.executions = executions;
  }

  /** Starts an admitted run in a warm Pod, if there is one for it. */
  boolean start(AnalyticsRun run, RunClass runClass, RunAdmission.Admitted admitted) {
    Optional<ClaimedPod> warm = claim.take(run, namespace(run), runClass, admitted);
    if (warm.isEmpty()) {
      return false;
    }
    queue.leave(run);
    executions.execute(run, warm.get(), admitted);
    return true;
  }

  /**
   * Starts a run that has a Pod of its own, for which there is no node, in a warm one, or has it
   * wait for one. Its own Pod goes once the run is bound to the other.
   *
   * @return whether it is started
   */
  boolean startInstead(AnalyticsRun run, RunClass runClass) {
    if (isDue(run, runClass)) {
      RunAdmission.Decision decision =
          RunAdmission.decide(
              run,
              runClass,
              name -> resources.dataset(run, name),
              name -> resources.run(run, name),
              resources::runClasses);
      if (!(decision instanceof RunAdmission.Admitted admitted)) {
        // It keeps its own Pod, but must not keep an idle one from others.
        waiting.leaveToOthers(run, namespace(run));
        return false;
      }
      if (start(run, runClass, admitted)) {
        return true;
      }
    }
    await(run, runClass);
    return false;
  }

  /** Whether an idle Pod waits that the run, which has waited for its Pod, may be given now. */
  boolean isDue(AnalyticsRun run, RunClass runClass) {
    return waiting.isDue(run, namespace(run), runClass);
  }

  /** The run waits for its Pod: it is reconciled when it may be its turn to take an idle one. */
  void await(AnalyticsRun run, RunClass runClass) {
    waiting.await(run, namespace(run), runClass);
  }

  /** The run does not wait for its Pod any more. */
  public void stopWaiting(AnalyticsRun run) {
    waiting.stopWaiting(run);
  }

  /** Whether a warm Pod that the run was given did not take it. */
  boolean hasFailedClaim(AnalyticsRun run) {
    return executions.hasFailedClaim(run);
  }

  private RunNamespace namespace(AnalyticsRun run) {
    return config.namespace(run.getMetadata().getNamespace()).orElseThrow();
  }
}
