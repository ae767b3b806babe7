package dev.assay.operator.pool;

import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.pod.PodUsers;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;
import java.util.UUID;

/** Creates Pods of pools, and pauses where one cannot be created. Not thread-safe. */
final class PoolRefill {
  private static final int NAME_CHARACTERS = 10;

  private final PoolResources resources;
  private final RunnerPods pods;
  private final UserIds userIds;
  private final NetworkPolicies networkPolicies;
  private final PoolStarts starts;

  PoolRefill(
      PoolResources resources,
      RunnerPods pods,
      UserIds userIds,
      NetworkPolicies networkPolicies,
      PoolStarts starts) {
    this.resources = resources;
    this.pods = pods;
    this.userIds = userIds;
    this.networkPolicies = networkPolicies;
    this.starts = starts;
  }

  /** Creates so many Pods, or fewer if one cannot be created. */
  void create(PoolTemplate template, RunNamespace namespace, int count) {
    if (count == 0 || !starts.mayStart(template.key(), template.hash())) {
      return;
    }
    try {
      networkPolicies.ensure(namespace.name());
      for (int number = 0; number < count; number++) {
        if (!create(template, namespace)) {
          starts.rejected(
              template.key(), "all user ids of namespace " + namespace.name() + " are in use");
          return;
        }
      }
    } catch (KubernetesClientException e) {
      starts.rejected(template.key(), ApiErrors.message(e));
    }
  }

  /** Returns whether there were user ids for the Pod. */
  private boolean create(PoolTemplate template, RunNamespace namespace) {
    String name =
        PoolTemplate.NAME_PREFIX
            + template.key().className()
            + "-"
            + UUID.randomUUID().toString().replace("-", "").substring(0, NAME_CHARACTERS);
    Optional<PodUsers> users = userIds.reserve(name, namespace.userIdRange(), resources.pods());
    if (users.isEmpty()) {
      return false;
    }
    starts.created(name, template.hash());
    create(template.pod(name, users.get())).ifPresent(resources::podCreated);
    return true;
  }

  private Optional<Pod> create(Pod pod) {
    try {
      return pods.create(pod);
    } catch (KubernetesClientException e) {
      if (ApiErrors.refused(e)) {
        // The next attempt has another name.
        userIds.release(pod.getMetadata().getName());
        starts.notCreated(pod.getMetadata().getName());
      }
      throw e;
    }
  }
}
