package dev.assay.operator.pod;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClassSpec;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a runner Pod depends on.
 *
 * @param name of the Pod; the same request always has the same name
 * @param namespace of the Pod
 * @param className the class's name
 * @param runClass the class
 * @param owner the object that owns the Pod, for garbage collection
 * @param identity labels that identify what the Pod serves
 * @param worker what its worker container does
 * @param users user ids of its containers
 * @param snapshotClaim the namespace's snapshot volume
 * @param publicKeys the keys that the supervisor trusts, in its format
 * @param activeDeadlineSeconds upper bound of the Pod's lifetime
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
   * Executes a run.
   *
   * @param program what executes it
   * @param datasets in order; the first is {@code df}
   * @param inputs the length in bytes of each artifact that it reads; empty for none
   * @param warmUp whether it uses its libraries once before it is ready, which a run that waits for
   *     its Pod would wait for, too
   * @param anyDataset whether it can be given any dataset of its namespace once it has its run
   */
  public record RunWorker(
      Program program,
      List<DatasetMount> datasets,
      List<Long> inputs,
      boolean warmUp,
      boolean anyDataset)
      implements Worker {
    /** Executes a run whose Pod is made for it. */
    public RunWorker(Program program, List<DatasetMount> datasets, List<Long> inputs) {
      this(program, datasets, inputs, false, false);
    }

    /** Waits for its run. */
    public static RunWorker warm(Program program, boolean anyDataset) {
      return new RunWorker(program, List.of(), List.of(), true, anyDataset);
    }

    /** Whether its Pod mounts snapshots. */
    boolean readsSnapshots() {
      return anyDataset || !datasets.isEmpty();
    }

    /** The workers that execute runs. */
    public enum Program {
      /** Python with its libraries imported, which loads whole datasets. */
      PYTHON("python", 160, true),

      /** A JVM with its heap; beyond that, DuckDB writes to scratch. */
      JVM("jvm", 384, false),

      /** A JVM with V8 and a small heap for it. */
      JAVASCRIPT("javascript", 256, false);

      private final String launcherName;
      private final int mebibytes;
      private final boolean loadsDatasets;

      Program(String launcherName, int mebibytes, boolean loadsDatasets) {
        this.launcherName = launcherName;
        this.mebibytes = mebibytes;
        this.loadsDatasets = loadsDatasets;
      }

      /** What executes code of a language. */
      public static Program of(Language language) {
        return switch (language) {
          case PYTHON, POLARS -> PYTHON;
          case SQL -> JVM;
          case JAVASCRIPT, TYPESCRIPT -> JAVASCRIPT;
          case UNKNOWN -> throw new IllegalArgumentException("a language of a newer version");
        };
      }

      /** Its name for the launcher and the supervisor. */
      String launcherName() {
        return launcherName;
      }

      /** The bytes of memory that it takes before it runs code, with the launcher. */
      public long memoryBytes() {
        return mebibytes * 1024L * 1024;
      }

      /** Whether the datasets of a run have to fit into memory. */
      public boolean loadsDatasets() {
        return loadsDatasets;
      }
    }
  }

  /**
   * Creates a snapshot.
   *
   * @param snapshotPath the directory to fill, on the namespace's volume
   * @param source the volume that contains the source; absent if there is none
   * @param uploadBytes the length of the source that will be uploaded; absent if it is not uploaded
   */
  public record SnapshotWorker(
      String snapshotPath, @Nullable SourceMount source, @Nullable Long uploadBytes)
      implements Worker {}

  /**
   * A declared volume, read-only at {@code /source}.
   *
   * @param claim its PersistentVolumeClaim
   * @param subPath the directory to mount; the whole volume when absent
   */
  public record SourceMount(String claim, @Nullable String subPath) {}
}
