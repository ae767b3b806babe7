package dev.assay.operator.pod;

import dev.assay.api.v1alpha1.RunClassSpec;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parts that all Pods of Assay have in common: isolated, with the settings of their class, and
 * never restarted.
 */
final class RestrictedPod {
  /** Name of the snapshot volume. */
  static final String SNAPSHOTS = "snapshots";

  /** Group of all files on the snapshot volume, where others have no permissions. */
  private static final Long SNAPSHOT_GROUP = PodUsers.SNAPSHOT.worker();

  /** Until a Pod on a node that is not ready or unreachable is deleted, and its run ends. */
  private static final int UNREACHABLE_SECONDS = 20;

  /**
   * Kubernetes mounts a file on the node's disk here, world-writable and of unlimited size. In the
   * image only root may enter the directory, and no process in the Pod is root.
   */
  private static final String TERMINATION_MESSAGE = "/root/termination-message";

  /** How a Pod accesses the snapshot volume. */
  enum SnapshotAccess {
    NONE,
    READ,
    WRITE
  }

  private RestrictedPod() {}

  static Map<String, String> labels(
      String className, RunClassSpec runClass, Map<String, String> identity) {
    Map<String, String> labels = new HashMap<>();
    if (runClass.podLabels() != null) {
      labels.putAll(runClass.podLabels());
    }
    labels.putAll(Labels.MANAGED);
    labels.putAll(identity);
    labels.put(Labels.RUNNER_POD, "true");
    labels.put(Labels.RUN_CLASS, className);
    return labels;
  }

  static Map<String, String> annotations(
      RunClassSpec runClass, String defaultContainer, Disruption disruption) {
    Map<String, String> annotations = new HashMap<>();
    annotations.put("kubectl.kubernetes.io/default-container", defaultContainer);
    if (runClass.podAnnotations() != null) {
      annotations.putAll(runClass.podAnnotations());
    }
    annotations.putAll(disruption.annotations());
    return annotations;
  }

  /**
   * A Pod spec without containers, volumes and deadline.
   *
   * @param snapshots how its worker accesses the snapshot volume
   */
  static PodSpecBuilder spec(RunClassSpec runClass, SnapshotAccess snapshots) {
    return new PodSpecBuilder()
        .withRestartPolicy("Never")
        .withTerminationGracePeriodSeconds(1L)
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        // A run Pod never resolves names, and no DNS server would be reachable.
        .withDnsPolicy("None")
        .withNewDnsConfig()
        .withNameservers("127.0.0.1")
        .endDnsConfig()
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile()
        .withFsGroup(snapshots == SnapshotAccess.WRITE ? SNAPSHOT_GROUP : null)
        .withFsGroupChangePolicy(snapshots == SnapshotAccess.WRITE ? "OnRootMismatch" : null)
        .withSupplementalGroups(
            snapshots == SnapshotAccess.READ ? List.of(SNAPSHOT_GROUP) : List.of())
        .endSecurityContext()
        .withHostUsers(runClass.hostUsers())
        .withRuntimeClassName(runClass.runtimeClassName())
        .withPriorityClassName(runClass.priorityClassName())
        .withNodeSelector(runClass.nodeSelector())
        .withTolerations(tolerations(runClass))
        .withImagePullSecrets(pullSecrets(runClass));
  }

  static ContainerBuilder container(String name, long user, RunClassSpec runClass) {
    return new ContainerBuilder()
        .withName(name)
        .withImage(runClass.image())
        .withImagePullPolicy(
            runClass.imagePullPolicy() == null
                    || runClass.imagePullPolicy() == RunClassSpec.PullPolicy.Unknown
                ? null
                : runClass.imagePullPolicy().name())
        .withTerminationMessagePath(TERMINATION_MESSAGE)
        .withSecurityContext(securityContext(user));
  }

  static Volume claim(String name, String claim, boolean readOnly) {
    return new VolumeBuilder().withName(name).withNewPersistentVolumeClaim(claim, readOnly).build();
  }

  static VolumeMount mount(String volume, String path, boolean readOnly, @Nullable String subPath) {
    return new VolumeMountBuilder()
        .withName(volume)
        .withMountPath(path)
        .withReadOnly(readOnly)
        .withSubPath(subPath)
        .build();
  }

  static Map<String, Quantity> quantities(String cpu, String memory) {
    return Map.of("cpu", new Quantity(cpu), "memory", new Quantity(memory));
  }

  private static SecurityContext securityContext(long user) {
    return new SecurityContextBuilder()
        .withRunAsNonRoot(true)
        .withRunAsUser(user)
        .withRunAsGroup(user)
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .build();
  }

  private static List<Toleration> tolerations(RunClassSpec runClass) {
    List<Toleration> tolerations = new ArrayList<>();
    if (runClass.tolerations() != null) {
      tolerations.addAll(runClass.tolerations());
    }
    for (String taint : List.of("node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready")) {
      tolerations.add(
          new TolerationBuilder()
              .withKey(taint)
              .withOperator("Exists")
              .withEffect("NoExecute")
              .withTolerationSeconds((long) UNREACHABLE_SECONDS)
              .build());
    }
    return tolerations;
  }

  private static List<LocalObjectReference> pullSecrets(RunClassSpec runClass) {
    return runClass.imagePullSecrets() == null
        ? List.of()
        : runClass.imagePullSecrets().stream().map(LocalObjectReference::new).toList();
  }
}
