package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.util.Map;

/** The snapshot volume of a namespace, accessed by a Pod that mounts all of it. */
final class SnapshotVolume {
  private static final String POD = "e2e-snapshot-volume";

  /** The user and group of the Pods that write snapshots. */
  private static final long USER = 65532;

  private static final String TAKEN = ".taken";

  private final Assay assay;
  private final Pod runPod;
  private final Volume volume;

  /** The volume that a Pod of the namespace mounts snapshots from. */
  SnapshotVolume(Assay assay, Pod runPod) {
    this.assay = assay;
    this.runPod = runPod;
    this.volume =
        runPod.getSpec().getVolumes().stream()
            .filter(candidate -> candidate.getPersistentVolumeClaim() != null)
            .findFirst()
            .orElseThrow();
  }

  /** Runs a Python program that reads the volume at {@code /volume}, and returns its output. */
  String read(String program) {
    return ProbePods.run(assay.kubernetes(), pod(program, true).build());
  }

  /** Makes a snapshot unavailable to runs until {@link #putBack}. */
  void takeAway(String path) {
    rename(path, path + TAKEN);
  }

  void putBack(String path) {
    rename(path + TAKEN, path);
  }

  private void rename(String from, String to) {
    String program = "import os; os.rename('/volume/%s', '/volume/%s'); print('renamed')";
    Pod pod =
        pod(program.formatted(from, to), false)
            .editSpec()
            .editFirstContainer()
            .editSecurityContext()
            .withRunAsUser(USER)
            .withRunAsGroup(USER)
            .endSecurityContext()
            .endContainer()
            .endSpec()
            .build();
    assertThat(ProbePods.run(assay.kubernetes(), pod)).isEqualTo("renamed\n");
  }

  private PodBuilder pod(String program, boolean readOnly) {
    Volume mounted =
        new VolumeBuilder(volume)
            .editPersistentVolumeClaim()
            .withReadOnly(readOnly)
            .endPersistentVolumeClaim()
            .build();
    return new PodBuilder(ProbePods.ordinary(runPod, assay.namespace(), POD, Map.of(), program))
        .editSpec()
        .withVolumes(mounted)
        .editFirstContainer()
        .addNewVolumeMount()
        .withName(mounted.getName())
        .withMountPath("/volume")
        .withReadOnly(readOnly)
        .endVolumeMount()
        .endContainer()
        .endSpec();
  }
}
