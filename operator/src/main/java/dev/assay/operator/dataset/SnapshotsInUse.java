package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.pod.DatasetMount;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.List;

/** The snapshots that an object uses, as directories relative to its namespace's volume. */
final class SnapshotsInUse {
  private SnapshotsInUse() {}

  /** The snapshot that new runs read, and the one that is being created. */
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

  /** The snapshots that it is pinned to, until it has ended. */
  static List<String> by(AnalyticsRun run) {
    AnalyticsRunStatus status = run.getStatus();
    if (status == null
        || status.snapshots() == null
        || (status.phase() != null && status.phase().isFinal())) {
      return List.of();
    }
    return status.snapshots().stream().map(snapshot -> snapshot.path()).toList();
  }

  /**
   * The snapshots that it mounts: a run's status lists its pinned snapshots only after the bind.
   */
  static List<String> by(Pod pod) {
    return CreatedPod.datasetMounts(pod).stream().map(DatasetMount::path).toList();
  }
}
