package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.PodRejection;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.pod.RunnerPod;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.Optional;

/** Creates the Pods of snapshots, in the order of the queue for room in a quota. */
final class SnapshotPodCreation {
  private final DatasetResources resources;
  private final SigningKeys keys;
  private final RunnerPods pods;
  private final NetworkPolicies networkPolicies;
  private final SnapshotAttempts attempts;
  private final SnapshotWaiting waiting;

  SnapshotPodCreation(
      DatasetResources resources,
      SigningKeys keys,
      RunnerPods pods,
      NetworkPolicies networkPolicies,
      SnapshotAttempts attempts,
      SnapshotWaiting waiting) {
    this.resources = resources;
    this.keys = keys;
    this.pods = pods;
    this.networkPolicies = networkPolicies;
    this.attempts = attempts;
    this.waiting = waiting;
  }

  /** Creates the Pod of an attempt, or has the dataset wait. */
  UpdateControl<Dataset> create(
      Dataset dataset, SnapshotIdentity identity, RunNamespace namespace, RunClass runClass) {
    Duration backoff = attempts.backoff(identity);
    if (backoff.isPositive()) {
      waiting.leaveQueue(dataset);
      return UpdateControl.<Dataset>noUpdate().rescheduleAfter(backoff);
    }
    Optional<UpdateControl<Dataset>> waits = waiting.waitForTurn(dataset, identity, runClass);
    if (waits.isPresent()) {
      return waits.get();
    }
    networkPolicies.ensure(namespace.name());
    try {
      pods.create(
              RunnerPod.build(
                  SnapshotPodRequest.of(
                      dataset, identity, namespace, runClass, keys.current().publicKeyEntry())))
          .ifPresent(resources::podCreated);
    } catch (KubernetesClientException e) {
      return rejected(dataset, identity, runClass, e);
    }
    waiting.podCreated(dataset, identity);
    return UpdateControl.<Dataset>noUpdate()
        .rescheduleAfter(Duration.ofSeconds(runClass.getSpec().timeouts().pendingSeconds()));
  }

  /** The API server rejects the Pod. */
  private UpdateControl<Dataset> rejected(
      Dataset dataset,
      SnapshotIdentity identity,
      RunClass runClass,
      KubernetesClientException rejection) {
    String message = ApiErrors.message(rejection);
    PodRejection cause = PodRejection.of(rejection);
    if (cause != PodRejection.NO_ROOM) {
      waiting.leaveToOthers(dataset);
    }
    return switch (cause) {
      case NO_ROOM -> waiting.waitForQuota(dataset, identity, runClass, message);
      case FORBIDDEN ->
          waiting.waitForRoom(dataset, identity, runClass, message, PodRejection.FORBIDDEN_RETRY);
      case INVALID -> waiting.fail(dataset, identity, "The Pod was rejected: " + message);
      case OTHER -> throw rejection;
    };
  }
}
