package dev.assay.operator.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.RunnerPodRequest.SnapshotWorker;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CleanupPodTest {
  private static final Instant MADE_BEFORE = Instant.ofEpochSecond(1_700_000_000, 999);

  private final Pod pod = pod(List.of("snapshots/a/1-0", "snapshots/b/2-1"));
  private final Container container = pod.getSpec().getContainers().getFirst();

  @Test
  void itIsToldWhatStays() {
    assertThat(container.getCommand())
        .containsExactly(
            "python3",
            "-I",
            "-m",
            "assay_runner.cleanup",
            "--made-before",
            "1700000000",
            "--keep",
            "snapshots/a/1-0",
            "snapshots/b/2-1");
    assertThat(pod(List.of()).getSpec().getContainers().getFirst().getCommand())
        .endsWith("--made-before", "1700000000", "--keep");
  }

  @Test
  void theWholeVolumeOfSnapshotsIsAllThatItMounts() {
    assertThat(container.getVolumeMounts())
        .singleElement()
        .satisfies(
            mount -> {
              assertThat(mount.getMountPath()).isEqualTo("/snapshots");
              assertThat(mount.getSubPath()).isNull();
              assertThat(mount.getReadOnly()).isFalse();
            });
    assertThat(pod.getSpec().getVolumes())
        .singleElement()
        .satisfies(
            volume ->
                assertThat(volume.getPersistentVolumeClaim().getClaimName()).isEqualTo("claim"));
  }

  @Test
  void itIsShutInAsAPodThatMakesASnapshot() {
    Pod maker = snapshotPod();
    assertThat(container.getSecurityContext())
        .isEqualTo(maker.getSpec().getContainers().getFirst().getSecurityContext());
    assertThat(container.getTerminationMessagePath())
        .isEqualTo(maker.getSpec().getContainers().getFirst().getTerminationMessagePath());
    assertThat(withoutItsOwn(pod)).isEqualTo(withoutItsOwn(maker));
    assertThat(pod.getMetadata().getLabels())
        .containsEntry(Labels.RUNNER_POD, "true")
        .containsEntry(Labels.SNAPSHOT_CLEANUP, "true")
        .containsAllEntriesOf(Labels.MANAGED);
  }

  @Test
  void itIsSmallAndEndsInAnyCase() {
    assertThat(container.getResources().getRequests())
        .isEqualTo(Map.of("cpu", new Quantity("50m"), "memory", new Quantity("64Mi")));
    assertThat(container.getResources().getLimits())
        .isEqualTo(Map.of("cpu", new Quantity("1"), "memory", new Quantity("128Mi")));
    assertThat(pod.getSpec().getActiveDeadlineSeconds()).isEqualTo(600);
  }

  @Test
  void pathsOf512KibCanBeToldAndNoMore() {
    String path = "x".repeat(127);
    assertThat(CleanupPod.fitsInArguments(Collections.nCopies(4096, path))).isTrue();
    assertThat(CleanupPod.fitsInArguments(Collections.nCopies(4097, path))).isFalse();
  }

  private static Object withoutItsOwn(Pod pod) {
    return new PodBuilder(pod)
        .editSpec()
        .withContainers()
        .withVolumes()
        .withActiveDeadlineSeconds(null)
        .endSpec()
        .build()
        .getSpec();
  }

  private static Pod pod(List<String> inUse) {
    return CleanupPod.build(
        "snapshot-cleanup-1",
        Samples.NAMESPACE,
        Samples.runClass(Samples.classSpec(Purpose.Snapshot)),
        "claim",
        inUse,
        MADE_BEFORE);
  }

  private static Pod snapshotPod() {
    return RunnerPod.build(
        new RunnerPodRequest(
            "snapshot-x",
            Samples.NAMESPACE,
            "snapshot",
            Samples.classSpec(Purpose.Snapshot),
            new OwnerReferenceBuilder().withName("sales").build(),
            Map.of(),
            new SnapshotWorker("snapshots/s/1-0", null, null),
            PodUsers.SNAPSHOT,
            "claim",
            "k1=AAAA",
            450));
  }
}
