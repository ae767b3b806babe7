package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.api.v1alpha1.RunClassStatus.WarmPoolStatus;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** The status of the pools of a class, from what is known of each. */
final class PoolStatus {
  private static final Comparator<NamespacePool> BUSIEST_FIRST =
      Comparator.<NamespacePool>comparingLong(pool -> pool.hits() + pool.misses()).reversed();

  private static final Comparator<NamespacePool> BY_NAME =
      Comparator.comparing(NamespacePool::namespace).thenComparing(NamespacePool::worker);

  private PoolStatus() {}

  /** The name of a worker in a status. */
  static String worker(Program program) {
    return program.name().toLowerCase(Locale.ROOT);
  }

  /** The status of a class; empty if it has no pools. */
  static Optional<WarmPoolStatus> of(List<NamespacePool> pools) {
    if (pools.isEmpty()) {
      return Optional.empty();
    }
    List<NamespacePool> listed =
        pools.stream()
            .sorted(BUSIEST_FIRST.thenComparing(BY_NAME))
            .limit(Bounds.MAX_STATUS_POOLS)
            .sorted(BY_NAME)
            .toList();
    return Optional.of(
        new WarmPoolStatus(
            Math.toIntExact(sum(pools, NamespacePool::ready)),
            Math.toIntExact(sum(pools, NamespacePool::starting)),
            sum(pools, NamespacePool::hits),
            sum(pools, NamespacePool::misses),
            listed));
  }

  private static long sum(List<NamespacePool> pools, ToLongFunction<NamespacePool> count) {
    return pools.stream().mapToLong(count).sum();
  }
}
