package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.Owners;
import dev.assay.operator.pod.PodUsers;
import dev.assay.operator.pod.RunnerPodRequest;
import dev.assay.operator.pod.RunnerPodRequest.SnapshotWorker;
import dev.assay.operator.pod.RunnerPodRequest.SourceMount;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds the request for the Pod that creates a snapshot. */
final class SnapshotPodRequest {
  /** How long the Pod may exceed its own limits before Kubernetes terminates it. */
  private static final Duration SLACK = Duration.ofMinutes(2);

  private SnapshotPodRequest() {}

  static RunnerPodRequest of(
      Dataset dataset,
      SnapshotIdentity identity,
      RunNamespace namespace,
      RunClass runClass,
      String publicKeys) {
    UploadSource upload = dataset.getSpec().source().upload();
    Duration uploading = upload == null ? Duration.ZERO : SnapshotUpload.timeLimit(upload);
    return new RunnerPodRequest(
        identity.podName(),
        namespace.name(),
        runClass.getMetadata().getName(),
        runClass.getSpec(),
        Owners.controller(dataset),
        Map.of(Labels.DATASET_UID, dataset.getMetadata().getUid()),
        new SnapshotWorker(
            identity.path(),
            sourceMount(dataset.getSpec().source().volume(), namespace),
            upload == null ? null : upload.bytes()),
        PodUsers.SNAPSHOT,
        namespace.snapshotClaim(),
        publicKeys,
        runClass.getSpec().timeouts().pendingSeconds()
            + runClass.getSpec().timeouts().defaultSeconds()
            + uploading.plus(SLACK).toSeconds());
  }

  private static @Nullable SourceMount sourceMount(
      @Nullable VolumeSource volume, RunNamespace namespace) {
    return volume == null
        ? null
        : namespace
            .sourceVolume(volume.name())
            .map(declared -> new SourceMount(declared.claim(), declared.subPath()))
            .orElseThrow();
  }
}
