package dev.assay.operator.pool;

import static java.util.stream.Collectors.groupingBy;

import dev.assay.operator.config.OperatorConfig.WarmPoolsConfig;
import dev.assay.operator.pool.PoolCensus.Role;
import dev.assay.operator.pool.PoolPlanner.MemoryLimits;
import dev.assay.operator.pool.PoolPlanner.Need;
import dev.assay.operator.pool.PoolPlanner.Plan;
import dev.assay.operator.pool.PoolPlanner.Target;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Brings the pools nearer to what they are to have, and has them make room for others. */
final class PoolUpkeep {
  private final WarmPoolsConfig config;
  private final PoolStarts starts;
  private final PoolRefill refill;
  private final PoolRemoval removal;
  private final PoolRoom room;
  private final AwaitedAnswers answers;

  PoolUpkeep(
      WarmPoolsConfig config,
      PoolStarts starts,
      PoolRefill refill,
      PoolRemoval removal,
      PoolRoom room,
      AwaitedAnswers answers) {
    this.config = config;
    this.starts = starts;
    this.refill = refill;
    this.removal = removal;
    this.room = room;
    this.answers = answers;
  }

  /**
   * The next step of all pools.
   *
   * @param replaced the memory of Pods that are still to be replaced, by namespace
   * @return what each pool is to have
   */
  Map<PoolKey, Target> next(PoolView view, List<Pool> pools, Map<String, Long> replaced) {
    List<Need> needs = pools.stream().map(Pool::need).toList();
    Map<PoolKey, Target> targets =
        PoolPlanner.withinMemory(
            needs,
            replaced,
            new MemoryLimits(config.maxIdleMemoryBytesPerNamespace(), config.maxIdleMemoryBytes()));
    room.look(view.pods());
    boolean mayRefill = !answers.holdUpRefills();
    for (Pool pool : pools) {
      try {
        next(pool, targets.getOrDefault(pool.key(), Target.NONE), mayRefill);
      } catch (RuntimeException e) {
        starts.rejected(pool.key(), e.toString());
      }
    }
    Map<String, List<Pod>> warm =
        view.warm().stream().collect(groupingBy(pod -> pod.getMetadata().getNamespace()));
    pools.stream()
        .collect(groupingBy(pool -> pool.namespace().name()))
        .forEach((name, its) -> makeRoom(name, its, warm.getOrDefault(name, List.of())));
    return targets;
  }

  private void next(Pool pool, Target target, boolean mayRefill) {
    Plan plan = pool.plan(target, starts.limit(pool.key()));
    if (plan.isLimited()) {
      starts.limitIsReached(pool.key());
    }
    pool.pods().in(Role.WITHHELD, Role.IDLE).limit(plan.retire()).forEach(removal::retire);
    pool.succeeded(target).forEach(removal::retire);
    // One that waits for a node may wait for as long as it is wanted, and makes some clusters add a
    // node.
    pool.pods().in(Role.UNSCHEDULED).limit(plan.cancel()).forEach(removal::retire);
    if (mayRefill && !room.holdsUpRefill(pool.namespace().name())) {
      refill.create(pool.template(), pool.namespace(), plan.create());
    }
  }

  private void makeRoom(String namespace, List<Pool> pools, Collection<Pod> warm) {
    room.toRetire(namespace, pools, removal.leaving(warm) > 0).forEach(removal::retire);
  }
}
