package dev.assay.operator.pool;

import dev.assay.operator.kubernetes.PodQueue.Waiting;
import dev.assay.operator.kubernetes.TurnQueue;
import dev.assay.operator.runner.Hello;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * The runs that wait for a Pod and can be given one that is idle, by pool: callers take turns, and
 * within a caller the oldest is first. A run that has just been created is given none that one of
 * them may have.
 */
public final class WarmQueue {
  private final WarmPods pods;
  private final Map<PoolKey, TurnQueue> lines = new HashMap<>();

  WarmQueue(WarmPods pods) {
    this.pods = pods;
  }

  /**
   * Whether there is an idle Pod that a run may take now: more are idle than runs wait before it,
   * or, before a new one, at all. One that is slow to take its own keeps that one from others, and
   * no more.
   */
  public synchronized boolean mayTake(PoolTemplate template, String runUid) {
    int idle = pods.count(template, any -> true);
    TurnQueue line = lines.get(template.key());
    return idle > 0 && (line == null || idle > line.countBefore(runUid));
  }

  /**
   * Takes a Pod for a run, which then does not wait any more.
   *
   * @param template of the pool, as its class and the signing key are now
   * @param canRun whether its runner can do what the run needs
   * @return empty if none waits that the run may take
   */
  public Optional<ClaimedPod> take(PoolTemplate template, String runUid, Predicate<Hello> canRun) {
    Optional<ClaimedPod> taken = takeInTurn(template, runUid, canRun);
    if (taken.isPresent()) {
      leave(runUid, TurnQueue::removeServed);
    }
    return taken;
  }

  private synchronized Optional<ClaimedPod> takeInTurn(
      PoolTemplate template, String runUid, Predicate<Hello> canRun) {
    return mayTake(template, runUid) ? pods.take(template, canRun) : Optional.empty();
  }

  /** Whether a run waits. */
  public synchronized boolean contains(String runUid) {
    return lines.values().stream().anyMatch(line -> line.contains(runUid));
  }

  /** Adds a run that waits, unless it does already. It is woken when it may be its turn. */
  public void add(PoolKey pool, Waiting who) {
    if (isAdded(pool, who)) {
      // A Pod may have become idle since the run looked for one.
      wakeNext(pool);
    }
  }

  private synchronized boolean isAdded(PoolKey pool, Waiting who) {
    TurnQueue line = lines.computeIfAbsent(pool, unused -> new TurnQueue());
    boolean isNew = !line.contains(who.uid());
    line.add(who);
    return isNew;
  }

  /** A run does not wait any more, or no Pod of its pool serves it: others may have their turns. */
  public void leave(String runUid) {
    leave(runUid, TurnQueue::remove);
  }

  private void leave(String runUid, BiConsumer<TurnQueue, String> removal) {
    leaveLines(runUid, removal).forEach(this::wakeNext);
  }

  private synchronized List<PoolKey> leaveLines(
      String runUid, BiConsumer<TurnQueue, String> removal) {
    List<PoolKey> left = new ArrayList<>();
    lines.forEach(
        (pool, line) -> {
          if (line.contains(runUid)) {
            removal.accept(line, runUid);
            left.add(pool);
          }
        });
    return left;
  }

  /** A Pod of a pool is idle. */
  void podIsIdle(PoolKey pool) {
    wakeNext(pool);
  }

  /** Has as many runs look for a Pod as are idle; outside of the lock. */
  private void wakeNext(PoolKey pool) {
    next(pool).forEach(waiting -> waiting.wake().run());
  }

  private synchronized List<Waiting> next(PoolKey pool) {
    TurnQueue line = lines.get(pool);
    return line == null ? List.of() : line.first(pods.countIdle(pool));
  }

  /** How many runs wait for a Pod of a pool. */
  synchronized int count(PoolKey pool) {
    TurnQueue line = lines.get(pool);
    return line == null ? 0 : line.count();
  }

  /** Forgets the runs that are gone and are next, and the pools that nobody waits for. */
  synchronized void prune() {
    lines.values().removeIf(line -> line.first() == null);
  }
}
