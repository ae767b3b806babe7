package dev.assay.operator.pod;

import dev.assay.api.v1alpha1.RunClassSpec;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that a runner Pod depends on.
 *
 * @param name of the Pod; the same request always asks for the same name
 * @param namespace of the Pod
 * @param className the class's name
 * @param runClass the class
 * @param owner who is garbage-collected with the Pod
 * @param identity labels that say whom the Pod serves
 * @param worker what its worker container does
 * @param users user ids of its containers
 * @param snapshotClaim the namespace's volume of snapshots
 * @param publicKeys the keys that the supervisor trusts, as it reads them
 * @param activeDeadlineSeconds upper bound of the Pod's life
 */
public record RunnerPodRequest(
    String name,
    String namespace,
    String className,
    RunClassSpec runClass,
    OwnerReference owner,
    Map<String, String> identity,
    Worker worker,
    PodUsers users,
    String snapshotClaim,
    String publicKeys,
    long activeDeadlineSeconds) {

  /** What the worker container of a Pod does. */
  public sealed interface Worker {}

  /**
   * Runs Python.
   *
   * @param datasets in order; the first is {@code df}
   */
  public record PythonWorker(List<DatasetMount> datasets) implements Worker {}

  /**
   * Makes a snapshot.
   *
   * @param snapshotPath the directory to fill, on the namespace's volume
   * @param source the volume that the source is on; absent where it is on none
   * @param uploadBytes the length of the source that will be uploaded; absent where it is not
   */
  public record SnapshotWorker(
      String snapshotPath, @Nullable SourceMount source, @Nullable Long uploadBytes)
      implements Worker {}

  /**
   * A declared volume, read-only at {@code /source}.
   *
   * @param claim its PersistentVolumeClaim
   * @param subPath the part of it that is offered; all of it when absent
   */
  public record SourceMount(String claim, @Nullable String subPath) {}
}
