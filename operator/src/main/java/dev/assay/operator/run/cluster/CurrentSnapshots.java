package dev.assay.operator.run.cluster;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

/**
 * The snapshots that datasets have in the API server now: a cache may be older than what the
 * creator of a run has seen.
 */
public final class CurrentSnapshots {
  private final BiFunction<AnalyticsRun, String, Optional<PinnedSnapshot>> read;
  private final Executor threads;

  /**
   * Reads nothing yet.
   *
   * @param read reads that of a dataset in the namespace of a run
   * @param threads for reads at the same time
   */
  public CurrentSnapshots(
      BiFunction<AnalyticsRun, String, Optional<PinnedSnapshot>> read, Executor threads) {
    this.read = read;
    this.threads = threads;
  }

  /** Whether the datasets of a run still have all of these, once they have been read. */
  public CompletableFuture<Boolean> include(AnalyticsRun run, List<PinnedSnapshot> snapshots) {
    return snapshots.stream()
        .map(
            pinned ->
                CompletableFuture.supplyAsync(
                    () -> read.apply(run, pinned.dataset()).equals(Optional.of(pinned)), threads))
        .reduce(
            CompletableFuture.completedFuture(true),
            (all, one) -> all.thenCombine(one, (a, b) -> a && b));
  }
}
