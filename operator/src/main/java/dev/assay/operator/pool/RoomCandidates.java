package dev.assay.operator.pool;

import dev.assay.operator.pod.PodState;
import dev.assay.operator.pool.PoolCensus.Role;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which Pods of the pools of a namespace make room for others, in their order. */
final class RoomCandidates {
  /** A Pod that has been starting for longer may never be ready. */
  static final Duration SOON_READY = Duration.ofSeconds(10);

  private RoomCandidates() {}

  /**
   * First those that serve no run yet: they hold the same room in the quota as idle ones. Those
   * that runs of their pool wait for stay: such a run gets one sooner than it would get its own.
   *
   * @param waiting how many runs wait for a Pod of a pool
   */
  static Stream<Pod> of(Collection<Pool> pools, ToIntFunction<PoolKey> waiting, Instant now) {
    List<Pool> leastUsedFirst = pools.stream().sorted(Pool.LEAST_USED_FIRST).toList();
    Set<String> kept =
        pools.stream()
            .flatMap(pool -> soonReady(pool, now).limit(waiting.applyAsInt(pool.key())))
            .map(RoomCandidates::uid)
            .collect(Collectors.toSet());
    return Stream.of(Role.UNSCHEDULED, Role.ON_NODE, Role.AGING, Role.WITHHELD, Role.IDLE)
        .flatMap(role -> leastUsedFirst.stream().flatMap(pool -> pool.pods().in(role)))
        .filter(pod -> !kept.contains(uid(pod)));
  }

  /** Those that wait for a run, and then those that will, if all goes well. */
  private static Stream<Pod> soonReady(Pool pool, Instant now) {
    Instant oldest = now.minus(SOON_READY);
    return Stream.concat(
        pool.pods().in(Role.IDLE, Role.AGING),
        pool.pods().in(Role.ON_NODE).filter(pod -> PodState.created(pod).isAfter(oldest)));
  }

  private static String uid(Pod pod) {
    return pod.getMetadata().getUid();
  }
}
