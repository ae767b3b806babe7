package dev.assay.operator.pool;

import dev.assay.operator.kubernetes.PodQueue.Waiting;
import dev.assay.operator.kubernetes.TurnQueue;
import dev.assay.operator.runner.Hello;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

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
   * Whether there is an idle Pod that a run may take now: nobody waits before it, or there are
   * enough for all that wait. One that is slow to take its own keeps that one from others, and no
   * more.
   */
  public synchronized boolean mayTake(PoolTemplate template, String runUid) {
    int idle = pods.count(template, any -> true);
    TurnQueue line = lines.get(template.key());
    Waiting first = idle == 0 || line == null ? null : line.first();
    if (line == null || first == null || first.uid().equals(runUid)) {
      return idle > 0;
    }
    int others = line.count() - (line.contains(runUid) ? 1 : 0);
    return idle > others;
  }

  /**
   * Takes a Pod for a run.
   *
   * @param template of the pool, as its class and the signing key are now
   * @param canRun whether its runner can do what the run needs
   * @return empty if none waits that the run may take
   */
  public synchronized Optional<ClaimedPod> take(
      PoolTemplate template, String runUid, Predicate<Hello> canRun) {
    return mayTake(template, runUid) ? pods.take(template, canRun) : Optional.empty();
  }

  /** Whether a run waits. */
  public synchronized boolean contains(String runUid) {
    return lines.values().stream().anyMatch(line -> line.contains(runUid));
  }

  /** Adds a run that waits, unless it does already. It is woken when it may be its turn. */
  public void add(PoolKey pool, Waiting who) {
    if (isAdded(pool, who) && pods.anyIdle(pool)) {
      // A Pod may have become idle since the run looked for one.
      wake(first(pool));
    }
  }

  private synchronized boolean isAdded(PoolKey pool, Waiting who) {
    TurnQueue line = lines.computeIfAbsent(pool, unused -> new TurnQueue());
    boolean isNew = !line.contains(who.uid());
    line.add(who);
    return isNew;
  }

  /** A run does not wait any more, or no Pod of its pool serves it: the next may have its turn. */
  public void leave(String runUid) {
    afterLeaving(runUid).forEach(WarmQueue::wake);
  }

  private synchronized List<Waiting> afterLeaving(String runUid) {
    List<Waiting> next = new ArrayList<>();
    lines.forEach(
        (pool, line) -> {
          boolean hadTurn = line.hasTurn(runUid);
          line.remove(runUid);
          Waiting first = hadTurn ? line.first() : null;
          if (first != null && pods.anyIdle(pool)) {
            next.add(first);
          }
        });
    return next;
  }

  /** A Pod of a pool is idle. */
  void podIsIdle(PoolKey pool) {
    wake(first(pool));
  }

  private synchronized @Nullable Waiting first(PoolKey pool) {
    TurnQueue line = lines.get(pool);
    return line == null ? null : line.first();
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

  private static void wake(@Nullable Waiting waiting) {
    if (waiting != null) {
      waiting.wake().run();
    }
  }
}
