package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The Pods of snapshots: which are there, which have to go, and what starts them. */
final class SnapshotPods {
  private final DatasetResources resources;
  private final RunnerPods pods;
  private final DatasetStatusWriter statuses;
  private final SnapshotWaiting waiting;
  private final Clock clock;

  SnapshotPods(
      DatasetResources resources,
      RunnerPods pods,
      DatasetStatusWriter statuses,
      SnapshotWaiting waiting,
      Clock clock) {
    this.resources = resources;
    this.pods = pods;
    this.statuses = statuses;
    this.waiting = waiting;
    this.clock = clock;
  }

  /** Whether the API server has the Pod of an attempt. */
  boolean exists(Dataset dataset, SnapshotIdentity identity) {
    return pods.exists(dataset.getMetadata().getNamespace(), identity.podName());
  }

  /** Waits for the start of a Pod, until the pending deadline. */
  UpdateControl<Dataset> waitForStart(
      Dataset dataset, SnapshotIdentity identity, Pod pod, RunClass runClass) {
    int pendingSeconds = runClass.getSpec().timeouts().pendingSeconds();
    Instant deadline =
        Instant.parse(pod.getMetadata().getCreationTimestamp()).plusSeconds(pendingSeconds);
    Duration left = Duration.between(clock.instant(), deadline);
    Optional<String> reason = PodState.waitingReason(pod);
    if (PodState.isUnschedulable(pod)) {
      pods.unschedulable().found(pod.getMetadata().getNamespace());
    }
    if (!left.isPositive()) {
      return waiting.fail(
          dataset,
          identity,
          "The Pod did not start within " + pendingSeconds + " s: " + reason.orElse(""));
    }
    reason.ifPresent(message -> statuses.loading(dataset, identity, message));
    return UpdateControl.<Dataset>noUpdate().rescheduleAfter(left);
  }

  /** Deletes Pods of earlier generations or attempts, and any Pod of a settled dataset. */
  void deleteOthers(Dataset dataset, SnapshotIdentity identity) {
    boolean settled = DatasetTransitions.isSettled(dataset);
    resources.pods(dataset).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> settled || !pod.getMetadata().getName().equals(identity.podName()))
        .forEach(pods::delete);
  }

  /** The dataset does not wait for room in the quota any more. */
  void leaveQueue(Dataset dataset) {
    waiting.leaveQueue(dataset);
  }

  /** The dataset cannot be loaded. */
  UpdateControl<Dataset> fail(Dataset dataset, SnapshotIdentity identity, String message) {
    return waiting.fail(dataset, identity, message);
  }
}
