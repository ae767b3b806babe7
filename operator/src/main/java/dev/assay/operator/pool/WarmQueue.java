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
 * within a caller the oldest is first. A run is given an idle Pod only if one is left for it after
 * those that have their turns before it.
 */
public final class WarmQueue {
  private final WarmPods pods;
  private final Map<PoolKey, TurnQueue> lines = new HashMap<>();

  WarmQueue(WarmPods pods) {
    this.pods = pods;
  }

  private TurnQueue line(PoolKey pool) {
    return lines.computeIfAbsent(pool, unused -> new TurnQueue());
  }

  /**
   * Whether a run may take an idle Pod now: there are more than runs before it. A run that is slow
   * to take its Pod holds up that Pod alone.
   *
   * @param who the run, whether or not it waits
   */
  public synchronized boolean mayTake(PoolTemplate template, Waiting who) {
    int idle = pods.count(template, any -> true);
    if (idle == 0) {
      // As for most of many runs that wait: what follows takes longer the more there are.
      return false;
    }
    return idle > line(template.key()).countBefore(who);
  }

  /**
   * Takes a Pod for a run, which must then be {@link #served}.
   *
   * @param template of the pool, as its class and the signing key are now
   * @param who the run, whether or not it waits
   * @param canRun whether its runner can do what the run needs
   * @return empty if none waits that the run may take
   */
  public synchronized Optional<ClaimedPod> take(
      PoolTemplate template, Waiting who, Predicate<Hello> canRun) {
    return mayTake(template, who) ? pods.take(template, canRun) : Optional.empty();
  }

  /** A run has taken a Pod and does not wait any more: the next ones may have their turns. */
  public void served(String runUid) {
    leave(runUid, TurnQueue::removeServed);
  }

  /**
   * Has as many runs of each pool look for a Pod as are idle. They do when one becomes idle or is
   * left to them; this is for those behind one that was deleted, which nobody tells of.
   */
  void wakeAll() {
    waitedFor().forEach(this::podIsIdle);
  }

  private synchronized List<PoolKey> waitedFor() {
    return List.copyOf(lines.keySet());
  }

  /** Whether a run waits. */
  public synchronized boolean contains(String runUid) {
    return lines.values().stream().anyMatch(line -> line.contains(runUid));
  }

  /** Adds a run that waits, unless it does already. It is woken when it may be its turn. */
  public void add(PoolKey pool, Waiting who) {
    if (isAdded(pool, who)) {
      // A Pod may have become idle since the run looked for one.
      podIsIdle(pool);
    }
  }

  private synchronized boolean isAdded(PoolKey pool, Waiting who) {
    boolean isNew = !line(pool).contains(who.uid());
    line(pool).add(who);
    return isNew;
  }

  /** A run does not wait any more, or no Pod of its pool serves it: others may have their turns. */
  public void leave(String runUid) {
    leave(runUid, TurnQueue::remove);
  }

  private void leave(String runUid, BiConsumer<TurnQueue, String> removal) {
    leaveLines(runUid, removal).forEach(this::podIsIdle);
  }

  /** A run whose class was changed while it waited may be in several. */
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

  /** A Pod of a pool is idle: as many runs look for one as are; outside of the lock. */
  void podIsIdle(PoolKey pool) {
    next(pool).forEach(waiting -> waiting.wake().run());
  }

  private synchronized List<Waiting> next(PoolKey pool) {
    return line(pool).first(pods.countIdle(pool));
  }

  /** How many runs wait for a Pod of a pool. */
  synchronized int count(PoolKey pool) {
    return line(pool).count();
  }

  /** Forgets the runs that are gone and are next, and the pools that nobody waits for. */
  synchronized void prune() {
    lines.values().removeIf(line -> line.first() == null);
  }
}
