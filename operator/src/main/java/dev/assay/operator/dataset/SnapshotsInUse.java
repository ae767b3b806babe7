package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.operator.pod.DatasetMount;
import dev.assay.operator.pod.RunnerPod;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;

/** The snapshots that an object needs, as directories relative to its namespace's volume. */
final class SnapshotsInUse {
  private SnapshotsInUse() {}

  /** What new runs read, and what is being made. */
  static List<String> by(Dataset dataset) {
    DatasetStatus status = DatasetTransitions.statusOf(dataset);
    List<String> paths = new ArrayList<>();
    if (status.snapshot() != null) {
      paths.add(status.snapshot().path());
    }
    if (!DatasetTransitions.isSettled(dataset)) {
      paths.add(SnapshotIdentity.of(dataset).path());
    }
    return paths;
  }

  /** What it was pinned to, until it has ended. */
  static List<String> by(AnalyticsRun run) {
    AnalyticsRunStatus status = run.getStatus();
    if (status == null
        || status.snapshots() == null
        || (status.phase() != null && status.phase().isFinal())) {
      return List.of();
    }
    return status.snapshots().stream().map(snapshot -> snapshot.path()).toList();
  }

  /** What it mounts: a run tells what it is pinned to only when its Pod has been bound to it. */
  static List<String> by(Pod pod) {
    return RunnerPod.datasetMounts(pod).stream().map(DatasetMount::path).toList();
  }
}
