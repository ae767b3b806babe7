package dev.assay.operator.pod;

import static dev.assay.operator.pod.RestrictedPod.SNAPSHOTS;
import static dev.assay.operator.pod.RestrictedPod.annotations;
import static dev.assay.operator.pod.RestrictedPod.claim;
import static dev.assay.operator.pod.RestrictedPod.container;
import static dev.assay.operator.pod.RestrictedPod.labels;
import static dev.assay.operator.pod.RestrictedPod.mount;
import static dev.assay.operator.pod.RestrictedPod.quantities;
import static dev.assay.operator.pod.RestrictedPod.spec;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.operator.pod.RestrictedPod.SnapshotAccess;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * The Pod that removes the unused snapshots of a namespace, as a pure function of its arguments. It
 * is the only Pod that may write to the whole volume, and reads only names, sizes and times.
 */
public final class CleanupPod {
  private static final String CLEANUP = "cleanup";
  private static final String DIRECTORY = "/snapshots";
  private static final long LONGEST_SECONDS = 600;

  /**
   * Linux allows 128 KiB for one argument and 2 MiB for all together, and the API server 1.5 MiB
   * for an object.
   */
  private static final int MAX_PATH_BYTES = 512 * 1024;

  private CleanupPod() {}

  /** Whether the paths of these snapshots fit in the arguments of one Pod. */
  public static boolean fitsInArguments(Collection<String> inUse) {
    return inUse.stream().mapToLong(path -> path.length() + 1L).sum() <= MAX_PATH_BYTES;
  }

  /**
   * Builds the Pod.
   *
   * @param snapshotClaim the namespace's snapshot volume
   * @param inUse directories to keep, relative to the volume; must pass {@link #fitsInArguments}
   * @param modifiedBefore what was modified at that time or later is kept too
   */
  public static Pod build(
      String name,
      String namespace,
      RunClass runClass,
      String snapshotClaim,
      Collection<String> inUse,
      Instant modifiedBefore) {
    RunClassSpec spec = runClass.getSpec();
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(
            labels(runClass.getMetadata().getName(), spec, Map.of(Labels.SNAPSHOT_CLEANUP, "true")))
        .withAnnotations(annotations(spec, CLEANUP, Disruption.ALLOWED))
        .endMetadata()
        .withSpec(
            spec(spec, SnapshotAccess.WRITE)
                .withActiveDeadlineSeconds(LONGEST_SECONDS)
                .withContainers(cleanup(spec, inUse, modifiedBefore))
                .withVolumes(claim(SNAPSHOTS, snapshotClaim, false))
                .build())
        .build();
  }

  private static Container cleanup(
      RunClassSpec runClass, Collection<String> inUse, Instant modifiedBefore) {
    List<String> command = new ArrayList<>(List.of("python3", "-I", "-m", "assay_runner.cleanup"));
    command.add("--made-before");
    command.add(Long.toString(modifiedBefore.getEpochSecond()));
    command.add("--keep");
    command.addAll(inUse);
    return container(CLEANUP, PodUsers.SNAPSHOT.worker(), runClass)
        .withCommand(command)
        .withNewResources()
        .withRequests(quantities("50m", "64Mi"))
        .withLimits(quantities("1", "128Mi"))
        .endResources()
        .withVolumeMounts(mount(SNAPSHOTS, DIRECTORY, false, null))
        .build();
  }
}
