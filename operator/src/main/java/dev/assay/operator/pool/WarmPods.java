package dev.assay.operator.pool;

import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.pool.PoolPod.Checking;
import dev.assay.operator.pool.PoolPod.Idle;
import dev.assay.operator.runner.Hello;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The Pods of all pools, in memory. Each is taken once, and never waits for a run again: a Pod that
 * was given a job is used up.
 */
public final class WarmPods {
  /**
   * How long ago a Pod may have been tested: three times what lies between two checks. Those of a
   * namespace with too many Pods, which anybody may have created there, come later and later.
   */
  static final Duration MAX_UNCHECKED = Duration.ofSeconds(60);

  private final Clock clock;

  /** By UID, in the order in which they were seen. */
  private final Map<String, PoolPod> pods = new LinkedHashMap<>();

  /** By namespace: the result of a test that began before this time does not count. */
  private final Map<String, Instant> outdatedUntil = new HashMap<>();

  private final WarmQueue queue = new WarmQueue(this);

  public WarmPods(Clock clock) {
    this.clock = clock;
  }

  /** The runs that wait for one. */
  public WarmQueue queue() {
    return queue;
  }

  /**
   * Takes a Pod for a run.
   *
   * @param template of the pool, as its class and the signing key are now
   * @param canRun whether its runner can do what the run needs
   * @return the one that waits longest, of those that were tested lately; empty if none waits
   */
  synchronized Optional<ClaimedPod> take(PoolTemplate template, Predicate<Hello> canRun) {
    Optional<Idle> found = thatCanRun(template, canRun).min(Comparator.comparing(Idle::since));
    found.ifPresent(one -> pods.put(one.pod().uid(), one.claimed()));
    return found.map(one -> new ClaimedPod(one.pod().pod(), one.hello()));
  }

  /** How many Pods could be taken. */
  synchronized int count(PoolTemplate template, Predicate<Hello> canRun) {
    return Math.toIntExact(thatCanRun(template, canRun).count());
  }

  /** Whether Pods could be taken, and the runner of none of them can do what a run needs. */
  public synchronized boolean noneCanRun(PoolTemplate template, Predicate<Hello> canRun) {
    return count(template, any -> true) > 0 && count(template, canRun) == 0;
  }

  private Stream<Idle> thatCanRun(PoolTemplate template, Predicate<Hello> canRun) {
    Instant oldest = clock.instant().minus(MAX_UNCHECKED);
    return idle()
        .filter(one -> !one.tested().isBefore(oldest))
        .filter(one -> one.pod().template().isSame(template) && canRun.test(one.hello()));
  }

  private Stream<Idle> idle() {
    return pods.values().stream().filter(Idle.class::isInstance).map(Idle.class::cast);
  }

  /** What is known of a Pod, which may be new. */
  synchronized PoolPod see(String uid) {
    return pods.computeIfAbsent(uid, unused -> Checking.first(clock.instant()));
  }

  /**
   * What is known of a Pod changes.
   *
   * @param before what was known of it
   * @param after what is known now
   */
  record Change(PoolPod before, PoolPod after) {}

  /** Something has happened to a Pod, which may be new. */
  synchronized Change update(String uid, UnaryOperator<PoolPod> what) {
    PoolPod before = see(uid);
    PoolPod after = what.apply(before);
    pods.put(uid, after);
    return new Change(before, after);
  }

  /**
   * A Pod that is ready was tested. That it is closed does not count if its network may have been
   * opened since.
   *
   * @return empty if it does not exist any more
   */
  synchronized Optional<Change> tested(PoolPod.Test test) {
    String uid = test.pod().uid();
    return pods.containsKey(uid)
        ? Optional.of(update(uid, before -> after(before, test)))
        : Optional.empty();
  }

  private PoolPod after(PoolPod before, PoolPod.Test test) {
    PoolPod after = before.tested(test, clock.instant());
    return after instanceof Idle && isOutdated(test.pod(), test.began()) ? before : after;
  }

  /**
   * The NetworkPolicies of a namespace were changed, so that the network of its Pods may be open,
   * or may have been: none is taken before it was tested again, once the network plugin has had
   * time to apply them. Pods of classes that do not require the test stay.
   *
   * @return how many have to be tested again
   */
  synchronized int networkPoliciesChanged(String namespace) {
    outdatedUntil.put(namespace, clock.instant().plus(EgressCheck.GRACE));
    long before = idle().count();
    pods.replaceAll(
        (uid, pod) ->
            pod instanceof Idle one && isOutdated(one.pod(), one.tested()) ? one.dropped() : pod);
    return Math.toIntExact(before - idle().count());
  }

  private boolean isOutdated(WarmPod pod, Instant tested) {
    Instant until = outdatedUntil.getOrDefault(pod.key().namespace(), Instant.MIN);
    return tested.isBefore(until) && EgressAddress.textOf(pod.pod()).isPresent();
  }

  /** Whether a Pod is to be deleted. */
  synchronized boolean isRetiring(String uid) {
    return pods.get(uid) instanceof PoolPod.Retiring;
  }

  /** How many Pods of a pool wait for a run, of whichever template. */
  synchronized int countIdle(PoolKey pool) {
    return Math.toIntExact(idle().filter(one -> one.pod().key().equals(pool)).count());
  }

  /** Whether any Pod of a namespace waits for a run. */
  synchronized boolean anyIdle(String namespace) {
    return idle().anyMatch(one -> one.pod().key().namespace().equals(namespace));
  }

  /**
   * Forgets Pods.
   *
   * @param existing the UIDs of all Pods that exist
   * @param unused the UIDs of those without a run
   */
  synchronized void retainOnly(Set<String> existing, Set<String> unused) {
    pods.keySet().retainAll(existing);
    pods.replaceAll((uid, pod) -> unused.contains(uid) ? pod : pod.withRun());
  }
}
