package dev.assay.operator.run.status;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.CacheKey;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the result of a run follows from.
 *
 * @param imageID the digest of the image that ran it; absent if it is unknown
 * @param cacheKey its key in the cache; absent if the result is that of this run only
 */
public record RunOrigin(@Nullable String imageID, @Nullable String cacheKey) {
  static final RunOrigin UNKNOWN = new RunOrigin(null, null);

  /** The origin of a result that is that of its run only. */
  public static RunOrigin of(Pod pod) {
    return new RunOrigin(PodState.workerImageID(pod).orElse(null), null);
  }

  /**
   * The origin of a result that another run would have, too.
   *
   * @param run the complete run, with its code
   */
  public static RunOrigin cacheable(AnalyticsRun run, Pod pod) {
    Optional<String> className = ClassChoice.settled(run, Optional.of(pod));
    String imageID = PodState.workerImageID(pod).orElse(null);
    return imageID == null || className.isEmpty()
        ? UNKNOWN
        : new RunOrigin(
            imageID,
            CacheKey.of(
                run.getSpec(),
                className.get(),
                snapshots(run, pod),
                RunState.statusOf(run).inputList(),
                imageID));
  }

  /**
   * The snapshots that a run reads, even if their datasets have changed since: a Pod that was
   * created for it mounts them; for one that was there before, only its status lists them, once it
   * is bound.
   */
  public static List<PinnedSnapshot> snapshots(AnalyticsRun run, Pod pod) {
    if (PodState.isWarm(pod)) {
      return RunState.statusOf(run).snapshotList();
    }
    return CreatedPod.datasetMounts(pod).stream()
        .map(
            mount ->
                new PinnedSnapshot(
                    mount.dataset(),
                    mount.snapshotId(),
                    mount.path(),
                    mount.displayName(),
                    mount.untrusted() ? true : null))
        .toList();
  }

  /** A status with this. */
  AnalyticsRunStatus addTo(AnalyticsRunStatus status) {
    return status.with().imageID(imageID).cacheKey(cacheKey).build();
  }
}
