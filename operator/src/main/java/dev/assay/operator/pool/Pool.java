package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pool.PoolCensus.Role;
import dev.assay.operator.pool.PoolHistory.Counts;
import dev.assay.operator.pool.PoolPlanner.Need;
import dev.assay.operator.pool.PoolPlanner.Target;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A pool as it is in one round.
 *
 * @param pods its Pods, as far as the cache shows them
 * @param withheld those of these that no run is given
 * @param unlisted how many were created that it does not show yet
 * @param need what it is to have
 * @param arrivals its calls
 * @param counts its hits and misses
 */
record Pool(
    PoolTemplate template,
    RunNamespace namespace,
    PoolCensus.Found pods,
    WithheldPods withheld,
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

  /** The next step towards what it is to have. */
  PoolPlanner.Plan plan(Target target, int startLimit) {
    return PoolPlanner.plan(target, pods.count(Role.WITHHELD, Role.IDLE), starting(), startLimit);
  }

  private int starting() {
    return pods.count(Role.UNSCHEDULED, Role.ON_NODE) + unlisted;
  }

  /** Those that others have succeeded. */
  Stream<Pod> succeeded(Target target) {
    return pods.in(Role.AGING)
        .limit(PoolPlanner.succeeded(target, pods.count(Role.IDLE), pods.count(Role.AGING)));
  }

  /** Those that wait for a run, and then those that will, unless they were created before this. */
  Stream<Pod> soonReady(Instant oldest) {
    return Stream.concat(
        pods.in(Role.IDLE, Role.AGING),
        pods.in(Role.ON_NODE).filter(pod -> PodState.created(pod).isAfter(oldest)));
  }

  NamespacePool status() {
    return new NamespacePool(
        namespace.name(),
        PoolStatus.worker(key().program()),
        pods.count(Role.IDLE, Role.AGING),
        starting() + withheld.count(),
        counts.hits(),
        counts.misses(),
        withheld.message().orElse(null));
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
