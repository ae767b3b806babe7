package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.Labels;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Map;

/** Objects that use snapshots. */
final class CleanupFixture {
  private CleanupFixture() {}

  static Pod runPod(String name, String path) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(Samples.NAMESPACE)
        .withUid("uid-of-" + name)
        .withLabels(Map.of(Labels.RUNNER_POD, "true"))
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("worker")
        .addNewVolumeMount()
        .withName("snapshots")
        .withMountPath("/datasets/sales")
        .withSubPath(path)
        .endVolumeMount()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Running")
        .endStatus()
        .build();
  }

  static AnalyticsRunStatus pinned(RunPhase phase, PinnedSnapshot... snapshots) {
    return AnalyticsRunStatusBuilder.builder().phase(phase).snapshots(List.of(snapshots)).build();
  }
}
