package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.RunClassSpec.WarmPoolLimits;
import dev.assay.operator.pool.PoolPlanner.Plan;
import dev.assay.operator.pool.PoolPlanner.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * A pool under calls, in rounds as the keeper makes them. Each call takes an idle Pod or misses.
 * Pods that start share the cores of their nodes, of which each needs one.
 */
final class PoolSimulation {
  private static final Instant START = Instant.parse("2026-10-01T00:00:00Z");
  private static final double ROUND = 0.25;

  private final WarmPoolLimits limits;
  private final double startSeconds;
  private final int cores;
  private StartTime startTime;
  private StartLimit startLimit = StartLimit.NEW;
  private Arrivals arrivals = Arrivals.NONE;
  private final Deque<Starting> starting = new ArrayDeque<>();
  private double clock;
  private int idle;
  private int hits;
  private long idleRounds;
  private int retired;

  /** A Pod that starts, and for how many seconds it still needs a core. */
  private record Starting(double created, double left) {}

  private PoolSimulation(WarmPoolLimits limits, double startSeconds, int cores) {
    this.limits = limits;
    this.startSeconds = startSeconds;
    this.cores = cores;
    this.startTime = StartTime.UNKNOWN.with(Duration.ofMillis(Math.round(startSeconds * 1000)));
  }

  /**
   * What came of it.
   *
   * @param hitRate the part of the calls that found an idle Pod
   * @param meanIdle idle Pods, on average
   * @param lastIdle idle Pods at the end
   * @param retired Pods that were started for nothing
   * @param startLimit how many might start at once at the end
   */
  record Outcome(double hitRate, double meanIdle, int lastIdle, int retired, int startLimit) {}

  /**
   * Runs a pool.
   *
   * @param startTime how long a Pod takes to start that has a core of its own
   * @param cores of the nodes
   * @param calls seconds from the start, in order
   */
  static Outcome run(
      WarmPoolLimits limits, Duration startTime, int cores, Duration length, List<Double> calls) {
    PoolSimulation pool = new PoolSimulation(limits, Arrivals.seconds(startTime), cores);
    Deque<Double> coming = new ArrayDeque<>(calls);
    long rounds = Math.round(Arrivals.seconds(length) / ROUND);
    for (long round = 0; round < rounds; round++) {
      double now = round * ROUND;
      while (!coming.isEmpty() && coming.getFirst() <= now) {
        pool.call(coming.removeFirst());
      }
      pool.reconcile(now);
    }
    return new Outcome(
        calls.isEmpty() ? 1 : (double) pool.hits / calls.size(),
        (double) pool.idleRounds / rounds,
        pool.idle,
        pool.retired,
        pool.startLimit.count());
  }

  private void call(double now) {
    becomeReady(now);
    if (idle > 0) {
      idle--;
      hits++;
    }
    arrivals = arrivals.with(instant(now), startTime.estimate());
  }

  private void reconcile(double now) {
    becomeReady(now);
    Target target = PoolPlanner.target(limits, arrivals, startTime.estimate(), instant(now));
    Plan plan = PoolPlanner.plan(target, idle, starting.size(), startLimit.count());
    if (plan.isLimited()) {
      startLimit = startLimit.isReached(instant(now));
    }
    for (int number = 0; number < plan.create(); number++) {
      starting.add(new Starting(now, startSeconds));
    }
    idle -= plan.retire();
    retired += plan.retire();
    idleRounds += idle;
  }

  private void becomeReady(double now) {
    while (!starting.isEmpty() && clock < now) {
      double share = Math.min(1, (double) cores / starting.size());
      // The first was created first, so that none needs a core for less time.
      double next = Math.min(now, clock + starting.getFirst().left() / share);
      double used = (next - clock) * share;
      clock = next;
      starting.addAll(work(used));
      while (!starting.isEmpty() && starting.getFirst().left() < 1e-9) {
        started(starting.removeFirst());
      }
    }
    clock = now;
  }

  private List<Starting> work(double seconds) {
    List<Starting> worked =
        starting.stream().map(pod -> new Starting(pod.created(), pod.left() - seconds)).toList();
    starting.clear();
    return worked;
  }

  private void started(Starting pod) {
    idle++;
    Duration took = Duration.ofMillis(Math.round((clock - pod.created()) * 1000));
    startTime = startTime.with(took);
    startLimit = startLimit.with(took, instant(clock));
  }

  private static Instant instant(double seconds) {
    return START.plusMillis(Math.round(seconds * 1000));
  }
}
