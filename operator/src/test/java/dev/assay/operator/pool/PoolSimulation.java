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
 * A pool under calls, in rounds as the keeper makes them. Each Pod takes the same time to start;
 * each call takes an idle Pod or misses.
 */
final class PoolSimulation {
  private static final Instant START = Instant.parse("2026-10-01T00:00:00Z");
  private static final double ROUND = 0.25;

  private final WarmPoolLimits limits;
  private final double startSeconds;
  private Arrivals arrivals = Arrivals.NONE;
  private final Deque<Double> starting = new ArrayDeque<>();
  private int idle;
  private int hits;
  private long idleRounds;
  private int retired;

  private PoolSimulation(WarmPoolLimits limits, double startSeconds) {
    this.limits = limits;
    this.startSeconds = startSeconds;
  }

  /**
   * What came of it.
   *
   * @param hitRate the part of the calls that found an idle Pod
   * @param meanIdle idle Pods, on average
   * @param lastIdle idle Pods at the end
   * @param retired Pods that were started for nothing
   */
  record Outcome(double hitRate, double meanIdle, int lastIdle, int retired) {}

  /**
   * Runs a pool.
   *
   * @param calls seconds from the start, in order
   */
  static Outcome run(
      WarmPoolLimits limits, Duration startTime, Duration length, List<Double> calls) {
    PoolSimulation pool = new PoolSimulation(limits, Arrivals.seconds(startTime));
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
        pool.retired);
  }

  private void call(double now) {
    becomeReady(now);
    if (idle > 0) {
      idle--;
      hits++;
    }
    arrivals = arrivals.with(instant(now), startTime());
  }

  private void reconcile(double now) {
    becomeReady(now);
    Target target = PoolPlanner.target(limits, arrivals, startTime(), instant(now));
    Plan plan = PoolPlanner.plan(target, idle, starting.size());
    for (int number = 0; number < plan.create(); number++) {
      starting.add(now + startSeconds);
    }
    idle -= plan.retire();
    retired += plan.retire();
    idleRounds += idle;
  }

  private void becomeReady(double now) {
    while (!starting.isEmpty() && starting.getFirst() <= now) {
      starting.removeFirst();
      idle++;
    }
  }

  private Duration startTime() {
    return Duration.ofMillis(Math.round(startSeconds * 1000));
  }

  private static Instant instant(double seconds) {
    return START.plusMillis(Math.round(seconds * 1000));
  }
}
