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
 * The Pod that removes the snapshots of a namespace that are not in use, as a pure function of what
 * is asked for. It is the only one that may write to the whole volume, and reads nothing of it but
 * names, sizes and times.
 */
public final class CleanupPod {
  private static final String CLEANUP = "cleanup";
  private static final String DIRECTORY = "/snapshots";
  private static final long LONGEST_SECONDS = 600;

  /**
   * An argument may take 128 KiB on Linux and all of them together 2 MiB, and an object of the API
   * server 1.5 MiB.
   */
  private static final int MOST_BYTES_OF_PATHS = 512 * 1024;

  private CleanupPod() {}

  /** Whether that many snapshots can be told to one Pod. */
  public static boolean canBeTold(Collection<String> inUse) {
    return inUse.stream().mapToLong(path -> path.length() + 1L).sum() <= MOST_BYTES_OF_PATHS;
  }

  /**
   * The Pod.
   *
   * @param snapshotClaim the namespace's volume of snapshots
   * @param inUse directories that stay, relative to the volume; a list that {@link #canBeTold}
   * @param madeBefore what was changed at that time or later stays too
   */
  public static Pod build(
      String name,
      String namespace,
      RunClass runClass,
      String snapshotClaim,
      Collection<String> inUse,
      Instant madeBefore) {
    RunClassSpec spec = runClass.getSpec();
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(
            labels(runClass.getMetadata().getName(), spec, Map.of(Labels.SNAPSHOT_CLEANUP, "true")))
        .withAnnotations(annotations(spec, CLEANUP))
        .endMetadata()
        .withSpec(
            spec(spec, SnapshotAccess.WRITE)
                .withActiveDeadlineSeconds(LONGEST_SECONDS)
                .withContainers(cleanup(spec, inUse, madeBefore))
                .withVolumes(claim(SNAPSHOTS, snapshotClaim, false))
                .build())
        .build();
  }

  private static Container cleanup(
      RunClassSpec runClass, Collection<String> inUse, Instant madeBefore) {
    List<String> command = new ArrayList<>(List.of("python3", "-I", "-m", "assay_runner.cleanup"));
    command.add("--made-before");
    command.add(Long.toString(madeBefore.getEpochSecond()));
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
