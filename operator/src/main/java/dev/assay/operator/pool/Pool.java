package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.RunClassSpec.WarmPoolLimits;
import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.pool.PoolHistory.Counts;
import dev.assay.operator.pool.PoolPlanner.Need;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * A pool as it is in one round.
 *
 * @param idle the Pods that wait for a run, in the order in which they may be retired
 * @param withheld those of these that no run is given
 * @param aging the Pods that wait for a run and are to be succeeded, the oldest first
 * @param starting how many will wait for a run
 * @param unscheduled those of them that have no node yet
 * @param onNode those of them that have one; the cache may not show others yet
 * @param need what it is to have
 * @param arrivals its calls
 * @param counts its hits and misses
 */
record Pool(
    PoolTemplate template,
    RunNamespace namespace,
    List<Pod> idle,
    WithheldPods withheld,
    List<Pod> aging,
    int starting,
    List<Pod> unscheduled,
    List<Pod> onNode,
    Need need,
    Arrivals arrivals,
    Counts counts) {
  /** Of two that have as few calls, the one whose last is longer ago. */
  static final Comparator<Pool> LEAST_USED_FIRST =
      Comparator.<Pool>comparingDouble(pool -> pool.need().rate())
          .thenComparing(pool -> pool.arrivals().last());

  /** A pool at a time. */
  static Pool of(
      PoolTemplate template,
      RunNamespace namespace,
      WarmPoolLimits limits,
      PoolCensus.Found found,
      int unlisted,
      PoolHistory history,
      Instant now) {
    PoolKey key = template.key();
    Arrivals arrivals = history.arrivals(key);
    return new Pool(
        template,
        namespace,
        found.idle(),
        found.withheld(),
        found.aging(),
        found.starting() + unlisted,
        found.unscheduled(),
        found.onNode(),
        new Need(
            key,
            PoolPlanner.target(limits, arrivals, history.startTime(key), now),
            limits.min(),
            template.memoryBytes(),
            arrivals.rate(now)),
        arrivals,
        history.counts(key));
  }

  PoolKey key() {
    return template.key();
  }

  /** Those that others have succeeded. */
  List<Pod> succeeded(PoolPlanner.Target target) {
    return aging.subList(0, PoolPlanner.succeeded(target, closed(), aging.size()));
  }

  /** How many Pods wait for a run and are given to one. */
  private int closed() {
    return idle.size() - withheld.count();
  }

  NamespacePool status() {
    return new NamespacePool(
        namespace.name(),
        PoolStatus.worker(key().program()),
        closed() + aging.size(),
        starting + withheld.count(),
        counts.hits(),
        counts.misses(),
        withheld.message().orElse(null));
  }
}
