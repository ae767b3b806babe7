package dev.assay.operator.dataset;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.operator.kubernetes.StartAttempts;
import java.time.Duration;

/** The attempts at a snapshot: each has a Pod and a directory of its own. */
final class SnapshotAttempts {
  private static final Duration MAX_BACKOFF = Duration.ofMinutes(1);

  private final StartAttempts starts;
  private final DatasetStatusWriter statuses;

  SnapshotAttempts(StartAttempts starts, DatasetStatusWriter statuses) {
    this.starts = starts;
    this.statuses = statuses;
  }

  /**
   * Starts another attempt, with a directory of its own, unless the maximum is reached or the
   * uploaded bytes were lost with this one.
   *
   * @return whether the dataset still exists
   */
  boolean startNext(Dataset dataset, SnapshotIdentity identity, String why) {
    if (dataset.getSpec().source().upload() != null) {
      return statuses.failed(
          dataset, identity, "The upload was lost: " + why + ". Upload it again");
    }
    if (identity.attempt() + 1 >= Bounds.SNAPSHOT_ATTEMPTS) {
      return statuses.failed(
          dataset, identity, "Loading failed " + Bounds.SNAPSHOT_ATTEMPTS + " times: " + why);
    }
    SnapshotIdentity next =
        new SnapshotIdentity(identity.datasetUid(), identity.generation(), identity.attempt() + 1);
    return statuses.waitingForPod(dataset, next, "Retrying: " + why);
  }

  /** Starts another attempt, after a delay, because the worker of this one failed to start. */
  boolean startNextLater(Dataset dataset, SnapshotIdentity identity, String why) {
    var unused = starts.failed(identity.datasetUid(), identity.podName(), MAX_BACKOFF);
    return startNext(dataset, identity, why);
  }

  /** The remaining delay of the next Pod; zero if there is none. */
  Duration backoff(SnapshotIdentity identity) {
    return starts.backoff(identity.datasetUid());
  }

  /** Removes the state of a dataset that is settled or was deleted. */
  void forget(SnapshotIdentity identity) {
    starts.forget(identity.datasetUid());
  }
}
