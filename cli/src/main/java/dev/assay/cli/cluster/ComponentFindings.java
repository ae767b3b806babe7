package dev.assay.cli.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentCondition;
import io.fabric8.kubernetes.api.model.apps.DeploymentStatus;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Whether the programs of an installation run, and one of its operators leads. */
final class ComponentFindings {
  private static final String VERSION = "app.kubernetes.io/version";

  /** The clocks of this machine and of the leader's node may differ by as much. */
  private static final Duration MAX_CLOCK_DIFFERENCE = Duration.ofMinutes(1);

  private ComponentFindings() {}

  static Finding missing(String name, String namespace) {
    return Finding.failed(
        "there is no Deployment %s in the namespace %s: name that of the release with --namespace, or install the chart"
            .formatted(name, namespace));
  }

  /** Whether all replicas are available, and of the version that is installed. */
  static boolean isAvailable(Deployment deployment) {
    return wanted(deployment) > 0
        && available(deployment) >= wanted(deployment)
        && updated(deployment) >= wanted(deployment);
  }

  /**
   * A Deployment.
   *
   * @param pods of it; only those that are not ready are looked at
   */
  static Finding of(Deployment deployment, List<Pod> pods) {
    String name = deployment.getMetadata().getName();
    String namespace = deployment.getMetadata().getNamespace();
    if (wanted(deployment) == 0) {
      return Finding.failed(
          "%s is scaled to 0: kubectl -n %s scale deployment/%s --replicas=1"
              .formatted(name, namespace, name));
    }
    String replicas =
        "%s: %d of %d replicas available"
            .formatted(name, available(deployment), wanted(deployment));
    if (isAvailable(deployment)) {
      Map<String, String> labels =
          Objects.requireNonNullElse(deployment.getMetadata().getLabels(), Map.of());
      return Finding.ok(replicas + ", version " + labels.getOrDefault(VERSION, "unknown"));
    }
    // Those before an upgrade serve on while its own do not start.
    String behind = available(deployment) < wanted(deployment) ? "" : ", but not of this version";
    return Finding.failed(
        replicas
            + behind
            + "; "
            + pods.stream()
                .flatMap(pod -> PodTrouble.of(pod).stream())
                .findFirst()
                .or(() -> notCreated(deployment))
                .orElse(
                    "kubectl -n %s describe deployment %s shows more".formatted(namespace, name)));
  }

  /** Why there are no Pods, such as a quota. */
  private static Optional<String> notCreated(Deployment deployment) {
    return deployment.getStatus() == null
        ? Optional.empty()
        : deployment.getStatus().getConditions().stream()
            .filter(condition -> "ReplicaFailure".equals(condition.getType()))
            .map(DeploymentCondition::getMessage)
            .map(message -> "its Pods are refused: " + message)
            .findFirst();
  }

  private static int wanted(Deployment deployment) {
    return Objects.requireNonNullElse(deployment.getSpec().getReplicas(), 1);
  }

  private static int updated(Deployment deployment) {
    DeploymentStatus status = deployment.getStatus();
    boolean isSeen =
        status != null
            && Objects.requireNonNullElse(status.getObservedGeneration(), 0L)
                >= Objects.requireNonNullElse(deployment.getMetadata().getGeneration(), 0L);
    return isSeen ? Objects.requireNonNullElse(status.getUpdatedReplicas(), 0) : 0;
  }

  private static int available(Deployment deployment) {
    return deployment.getStatus() == null
        ? 0
        : Objects.requireNonNullElse(deployment.getStatus().getAvailableReplicas(), 0);
  }

  /** Who leads, by the Lease of the operators. */
  static Finding leader(Optional<Lease> lease, Instant now) {
    LeaseSpec spec = lease.map(Lease::getSpec).orElseGet(LeaseSpec::new);
    if (spec.getHolderIdentity() == null
        || spec.getHolderIdentity().isEmpty()
        || spec.getRenewTime() == null) {
      return Finding.failed(
          "no operator leads, so that no run starts: see why assay-operator is not available; one"
              + " that is leads within seconds");
    }
    Duration age = Duration.between(spec.getRenewTime().toInstant(), now);
    Duration lasts =
        Duration.ofSeconds(Objects.requireNonNullElse(spec.getLeaseDurationSeconds(), 0));
    String renewed =
        "%s renewed its Lease %d s ago"
            .formatted(spec.getHolderIdentity(), Math.max(0, age.toSeconds()));
    return age.compareTo(lasts.plus(MAX_CLOCK_DIFFERENCE)) > 0
        ? Finding.failed(
            renewed
                + " by the clock of this machine, and leads no more: see why assay-operator is not"
                + " available, and compare the clocks")
        : Finding.ok("the operator leads: " + renewed);
  }
}
