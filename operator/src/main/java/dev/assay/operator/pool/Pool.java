package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.pool.PoolHistory.Counts;
import dev.assay.operator.pool.PoolPlanner.Need;
import dev.assay.operator.pool.PoolPlanner.Target;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Comparator;
import java.util.List;

/**
 * A pool as it is in one round.
 *
 * @param pods its Pods, as far as the cache shows them
 * @param unlisted how many were created that it does not show yet
 * @param need what it is to have
 * @param arrivals its calls
 * @param counts its hits and misses
 */
record Pool(
    PoolTemplate template,
    RunNamespace namespace,
    PoolCensus.Found pods,
    int unlisted,
    Need need,
    Arrivals arrivals,
    Counts counts) {
  /** Of two that have as few calls, the one whose last is longer ago. */
  static final Comparator<Pool> LEAST_USED_FIRST =
      Comparator.<Pool>comparingDouble(pool -> pool.need().rate())
          .thenComparing(pool -> pool.arrivals().last());

  PoolKey key() {
    return template.key();
  }

  /** How many Pods will wait for a run. */
  int starting() {
    return pods.unscheduled().size() + pods.onNode().size() + unlisted;
  }

  /** Those that others have succeeded. */
  List<Pod> succeeded(Target target) {
    return pods.aging().subList(0, PoolPlanner.succeeded(target, closed(), pods.aging().size()));
  }

  /** How many Pods wait for a run and are given to one. */
  private int closed() {
    return pods.idle().size() - pods.withheld().count();
  }

  NamespacePool status() {
    return new NamespacePool(
        namespace.name(),
        PoolStatus.worker(key().program()),
        closed() + pods.aging().size(),
        starting() + pods.withheld().count(),
        counts.hits(),
        counts.misses(),
        pods.withheld().message().orElse(null));
  }

  PoolKeeper.PoolSize size(Target target) {
    NamespacePool status = status();
    return new PoolKeeper.PoolSize(
        status.namespace(),
        key().className(),
        status.worker(),
        status.ready(),
        status.starting(),
        target.low());
  }
}
