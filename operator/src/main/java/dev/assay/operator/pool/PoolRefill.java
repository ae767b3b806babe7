package dev.assay.operator.pool;

import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.kubernetes.ApiErrors;
import dev.assay.operator.kubernetes.NetworkPolicies;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.pod.PodUsers;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates Pods of pools, and pauses where the API server rejects one. Not thread-safe. */
final class PoolRefill {
  private static final Logger LOG = LoggerFactory.getLogger(PoolRefill.class);
  private static final Duration PAUSE = Duration.ofSeconds(10);
  private static final int NAME_CHARACTERS = 10;

  private final PoolResources resources;
  private final RunnerPods pods;
  private final UserIds userIds;
  private final NetworkPolicies networkPolicies;
  private final Clock clock;
  private final Map<PoolKey, Instant> paused = new HashMap<>();

  PoolRefill(
      PoolResources resources,
      RunnerPods pods,
      UserIds userIds,
      NetworkPolicies networkPolicies,
      Clock clock) {
    this.resources = resources;
    this.pods = pods;
    this.userIds = userIds;
    this.networkPolicies = networkPolicies;
    this.clock = clock;
  }

  /** Creates so many Pods, or fewer if one is rejected. */
  void create(PoolTemplate template, RunNamespace namespace, int count) {
    Instant until = paused.getOrDefault(template.key(), Instant.MIN);
    if (count == 0 || clock.instant().isBefore(until)) {
      return;
    }
    paused.remove(template.key());
    try {
      networkPolicies.ensure(namespace.name());
      for (int number = 0; number < count; number++) {
        create(template, namespace);
      }
    } catch (KubernetesClientException e) {
      paused.put(template.key(), clock.instant().plus(PAUSE));
      LOG.info(
          "No Pod is started for the warm pool of class {} in {} for {} s: {}",
          template.key().className(),
          namespace.name(),
          PAUSE.toSeconds(),
          ApiErrors.message(e));
    }
  }

  private void create(PoolTemplate template, RunNamespace namespace) {
    String name =
        PoolTemplate.NAME_PREFIX
            + template.key().className()
            + "-"
            + UUID.randomUUID().toString().replace("-", "").substring(0, NAME_CHARACTERS);
    Optional<PodUsers> users = userIds.reserve(name, namespace.userIdRange(), resources.pods());
    users.flatMap(found -> pods.create(template.pod(name, found))).ifPresent(resources::podCreated);
  }
}
