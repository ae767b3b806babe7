package dev.assay.operator.pool;

import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.assay.operator.kubernetes.PodQueue;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pool.PoolCensus.Role;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Whether runs and datasets of a namespace need the room that its idle Pods take. */
public final class PoolRoom {
  /** Longer than the interval at which a run without user ids asks again. */
  private static final Duration USER_IDS_PAUSE = Duration.ofSeconds(10);

  /** For the scheduler or the quota to give the room that was made to the Pods that wait for it. */
  private static final Duration SETTLE = Duration.ofSeconds(2);

  /** A Pod that has been starting for longer may never be ready. */
  static final Duration SOON_READY = Duration.ofSeconds(10);

  static final Duration FIRST_HOLD = Duration.ofSeconds(30);
  private static final Duration LAST_HOLD = Duration.ofMinutes(2);

  private final PodQueue queue;
  private final WarmQueue runs;
  private final Supplier<Collection<Pod>> datasetPods;
  private final Clock clock;
  private final Map<String, Instant> withoutUserIds = new ConcurrentHashMap<>();

  /** When Pods of a namespace were leaving last. */
  private final Map<String, Instant> leaving = new HashMap<>();

  /**
   * Of the pools of a namespace that have given way. Who may create runs there could have Pods
   * started and stopped without end otherwise: with a run that does not fit and is cancelled, again
   * and again. And who has got the room is likely to be followed by others.
   */
  private final Map<String, PoolBackoff> holds = new HashMap<>();

  /** The namespaces of Pods that find no node: room that is free is for them. */
  private volatile Set<String> withoutNode = Set.of();

  /** Of these, the namespaces of Pods that room can be made for. */
  private volatile Set<String> mayFit = Set.of();

  /**
   * No namespace needs room yet.
   *
   * @param queue for room in the quotas
   * @param runs those that wait for a Pod of a pool
   * @param datasetPods the cached Pods of all datasets
   */
  PoolRoom(PodQueue queue, WarmQueue runs, Supplier<Collection<Pod>> datasetPods, Clock clock) {
    this.queue = queue;
    this.runs = runs;
    this.datasetPods = datasetPods;
    this.clock = clock;
  }

  /** A run of a namespace found no free user ids. */
  public void userIdsAreMissing(String namespace) {
    withoutUserIds.put(namespace, clock.instant());
  }

  /**
   * Looks for Pods that find no node. Those of pools may wait for one as long as they like.
   *
   * @param runPods the cached Pods of runs and of pools
   */
  void look(Collection<Pod> runPods) {
    List<Pod> without =
        Stream.concat(
                runPods.stream().filter(pod -> !PodState.isWarm(pod)), datasetPods.get().stream())
            .filter(PodState::isUnschedulable)
            .toList();
    withoutNode = namespacesOf(without.stream());
    Instant young = clock.instant().minus(PodState.FITS_WITHIN);
    mayFit = namespacesOf(without.stream().filter(pod -> PodState.created(pod).isAfter(young)));
  }

  private static Set<String> namespacesOf(Stream<Pod> pods) {
    return pods.map(pod -> pod.getMetadata().getNamespace()).collect(toUnmodifiableSet());
  }

  /** Whether a namespace must start no Pods of pools now. */
  boolean holdsUpRefill(String namespace) {
    return withoutNode.contains(namespace)
        || isNeeded(namespace)
        || hold(namespace).isPaused(clock.instant());
  }

  private PoolBackoff hold(String namespace) {
    return holds.computeIfAbsent(
        namespace, unused -> new PoolBackoff(FIRST_HOLD, LAST_HOLD, Duration.ofMinutes(10)));
  }

  private boolean isNeeded(String namespace) {
    return waits(namespace)
        || userIdsMissed(namespace).isAfter(clock.instant().minus(USER_IDS_PAUSE));
  }

  /**
   * The idle Pods of a namespace that are to be retired now. Not all at once: one Pod needs the
   * room of a few, and how many that are, only the scheduler and the API server know. So a few go,
   * then who waits has time to take their room, and only if somebody still waits, the next ones go.
   *
   * @param pools those of the namespace
   * @param anyLeaves whether Pods of its pools are about to be gone
   */
  List<Pod> toRetire(String namespace, List<Pool> pools, boolean anyLeaves) {
    Instant now = clock.instant();
    if (anyLeaves) {
      leaving.put(namespace, now);
    }
    if (anyLeaves || !isNeeded(namespace) || !isSettled(namespace, now)) {
      return List.of();
    }
    List<Pod> next = candidates(pools, now).limit(PoolPlanner.MAX_LEAVING).toList();
    if (!next.isEmpty()) {
      var unused = hold(namespace).begin(now);
    }
    return next;
  }

  /**
   * First those that serve no run yet: they hold the same room in the quota as idle ones. Those
   * that runs of their pool wait for stay: such a run gets one sooner than it would get its own.
   */
  private Stream<Pod> candidates(List<Pool> pools, Instant now) {
    List<Pool> leastUsedFirst = pools.stream().sorted(Pool.LEAST_USED_FIRST).toList();
    Instant oldest = now.minus(SOON_READY);
    Set<String> kept =
        pools.stream()
            .flatMap(pool -> pool.soonReady(oldest).limit(runs.count(pool.key())))
            .map(pod -> pod.getMetadata().getUid())
            .collect(toUnmodifiableSet());
    return Stream.of(Role.UNSCHEDULED, Role.ON_NODE, Role.AGING, Role.WITHHELD, Role.IDLE)
        .flatMap(role -> leastUsedFirst.stream().flatMap(pool -> pool.pods().in(role)))
        .filter(pod -> !kept.contains(pod.getMetadata().getUid()));
  }

  private boolean isSettled(String namespace, Instant now) {
    Instant asked = waits(namespace) ? now : userIdsMissed(namespace);
    Instant last = leaving.get(namespace);
    return last == null || !asked.isBefore(last.plus(SETTLE));
  }

  private boolean waits(String namespace) {
    return queue.hasWaiting(namespace) || mayFit.contains(namespace);
  }

  private Instant userIdsMissed(String namespace) {
    return withoutUserIds.getOrDefault(namespace, Instant.MIN);
  }
}
