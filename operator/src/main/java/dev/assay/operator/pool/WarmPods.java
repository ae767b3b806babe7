package dev.assay.operator.pool;

import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.runner.Hello;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The idle Pods of all pools, in memory. Each is taken once, and never offered again: a Pod that
 * was given a job is used up.
 */
public final class WarmPods {
  /**
   * How long ago a Pod may have been checked: three times what lies between two checks. Those of a
   * namespace with too many Pods, which anybody may have created there, come later and later.
   */
  static final Duration MAX_UNCHECKED = Duration.ofSeconds(60);

  private final Clock clock;

  /** By UID, those that wait longest first. */
  private final Map<String, Idle> idle = new LinkedHashMap<>();

  private record Idle(WarmPod pod, Hello hello, Instant checked) {}

  private final Set<String> taken = new HashSet<>();
  private final Set<String> withdrawn = new HashSet<>();

  /** By namespace: the result of a check that began before this time does not count. */
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
   * @return the one that waits longest, of those that were checked lately; empty if none waits
   */
  synchronized Optional<ClaimedPod> take(PoolTemplate template, Predicate<Hello> canRun) {
    Optional<Idle> found = thatCanRun(template, canRun).findFirst();
    found.ifPresent(
        one -> {
          idle.remove(one.pod().uid());
          taken.add(one.pod().uid());
        });
    return found.map(one -> new ClaimedPod(one.pod().pod(), one.hello()));
  }

  /**
   * How many Pods could be taken.
   *
   * @param template as for {@link #take}
   * @param canRun as for {@link #take}
   */
  synchronized int count(PoolTemplate template, Predicate<Hello> canRun) {
    return Math.toIntExact(thatCanRun(template, canRun).count());
  }

  /**
   * Whether Pods could be taken, and the runner of none of them can do what a run needs.
   *
   * @param template as for {@link #take}
   * @param canRun as for {@link #take}
   */
  public synchronized boolean noneCanRun(PoolTemplate template, Predicate<Hello> canRun) {
    return count(template, any -> true) > 0 && count(template, canRun) == 0;
  }

  private Stream<Idle> thatCanRun(PoolTemplate template, Predicate<Hello> canRun) {
    Instant oldest = clock.instant().minus(MAX_UNCHECKED);
    return idle.values().stream()
        .filter(one -> !one.checked().isBefore(oldest))
        .filter(one -> one.pod().isOf(template) && canRun.test(one.hello()));
  }

  /**
   * Adds a Pod that has become ready, unless it was taken or withdrawn already, or its network may
   * have been opened since the check.
   *
   * @param hello what its runner has just answered
   * @param checked when the check began that it has passed
   * @return whether it waits for a run now
   */
  synchronized boolean offer(WarmPod pod, Hello hello, Instant checked) {
    if (taken.contains(pod.uid()) || withdrawn.contains(pod.uid()) || isOutdated(pod, checked)) {
      return false;
    }
    // A Pod that is offered again keeps its place.
    idle.put(pod.uid(), new Idle(pod, hello, checked));
    return true;
  }

  /**
   * The NetworkPolicies of a namespace were changed, so that the network of its Pods may be open,
   * or may have been: none is taken before it was checked again, once the network plugin has had
   * time to apply them. Pods of classes that do not require the check stay.
   *
   * @return how many have to be checked again
   */
  synchronized int networkPoliciesChanged(String namespace) {
    outdatedUntil.put(namespace, clock.instant().plus(EgressCheck.GRACE));
    int before = idle.size();
    idle.values().removeIf(one -> isOutdated(one.pod(), one.checked()));
    return before - idle.size();
  }

  private boolean isOutdated(WarmPod pod, Instant checked) {
    Instant until = outdatedUntil.getOrDefault(pod.key().namespace(), Instant.MIN);
    return checked.isBefore(until) && EgressAddress.textOf(pod.pod()).isPresent();
  }

  /** Whether a Pod waits for a run. */
  synchronized boolean isIdle(String uid) {
    return idle.containsKey(uid);
  }

  /** How many Pods of a pool wait for a run, of whichever template. */
  synchronized int countIdle(PoolKey pool) {
    return Math.toIntExact(
        idle.values().stream().filter(one -> one.pod().key().equals(pool)).count());
  }

  /** Whether any Pod of a namespace waits for a run. */
  synchronized boolean anyIdle(String namespace) {
    return idle.values().stream().anyMatch(one -> one.pod().key().namespace().equals(namespace));
  }

  /** Whether this process has given a Pod to a run. */
  synchronized boolean isTaken(String uid) {
    return taken.contains(uid);
  }

  /** Whether a Pod is to be deleted. */
  synchronized boolean isWithdrawn(String uid) {
    return withdrawn.contains(uid);
  }

  /**
   * Removes a Pod that may be offered again.
   *
   * @return whether it was idle; false if it was taken meanwhile
   */
  synchronized boolean drop(String uid) {
    return idle.remove(uid) != null;
  }

  /**
   * Removes a Pod that is to be deleted, and is never offered again.
   *
   * @return whether no run has it, and none will get it
   */
  synchronized boolean withdraw(String uid) {
    if (taken.contains(uid)) {
      return false;
    }
    idle.remove(uid);
    withdrawn.add(uid);
    return true;
  }

  /**
   * Forgets Pods.
   *
   * @param existing the UIDs of all Pods that exist
   * @param unused the UIDs of those without a run: no other can be idle
   */
  synchronized void retainOnly(Set<String> existing, Set<String> unused) {
    taken.retainAll(existing);
    withdrawn.retainAll(existing);
    idle.keySet().retainAll(unused);
  }
}
