package dev.assay.operator.run.placement;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.pod.PodUsers;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.cluster.RunResources;
import dev.assay.operator.run.status.RunEvents;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;

/** Creates the Pods of runs that get no warm ones. */
public final class OwnPods {
  private final RunPodTemplate template;
  private final PodUserIds users;
  private final RunResources resources;
  private final NetworkPolicies networkPolicies;
  private final RunnerPods pods;
  private final RunEvents events;

  public OwnPods(
      RunPodTemplate template,
      PodUserIds users,
      RunResources resources,
      NetworkPolicies networkPolicies,
      RunnerPods pods,
      RunEvents events) {
    this.template = template;
    this.users = users;
    this.resources = resources;
    this.networkPolicies = networkPolicies;
    this.pods = pods;
    this.events = events;
  }

  /** What has come of a creation. */
  sealed interface Creation {}

  /** The Pod is there, or was there already. */
  record Requested() implements Creation {}

  /** All user ids of the namespace are in use. */
  record NoUserIds() implements Creation {}

  /** The API server rejects the Pod. */
  record Rejected(KubernetesClientException by) implements Creation {}

  /** What Pods of a class cannot be created without; empty if nothing is missing. */
  Optional<String> missing(RunClass runClass) {
    return template.missing(runClass);
  }

  /**
   * Creates the Pod of an admitted run.
   *
   * @throws KubernetesClientException if its namespace cannot be isolated now
   */
  Creation create(AnalyticsRun run, RunClass runClass, RunAdmission.Admitted admitted) {
    RunNamespace namespace = template.namespace(run);
    Optional<PodUsers> reserved = users.reserve(run, namespace);
    if (reserved.isEmpty()) {
      return new NoUserIds();
    }
    networkPolicies.ensure(namespace.name());
    try {
      pods.create(template.pod(run, runClass, admitted, reserved.get()))
          .ifPresent(pod -> created(run, pod));
    } catch (KubernetesClientException e) {
      return new Rejected(e);
    }
    return new Requested();
  }

  private void created(AnalyticsRun run, Pod pod) {
    resources.podCreated(pod);
    events.podCreated(run, pod.getMetadata().getName());
  }
}
