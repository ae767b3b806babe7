package dev.assay.operator.pool;

import dev.assay.api.v1alpha1.RunClassSpec.WarmPoolLimits;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How many idle Pods the pools are to have, and the next step towards it. */
final class PoolPlanner {
  /** Pods of a pool that are removed at once, to be replaced or to make room. */
  static final int MAX_LEAVING = 4;

  /** Standard deviations of a Poisson process: more calls come in one start in fifty. */
  private static final int DEVIATIONS = 2;

  /** The part of a pool that it may have too many: what is retired now may be missing soon. */
  private static final int SLACK_PART = 4;

  private PoolPlanner() {}

  /**
   * How many idle Pods a pool is to have.
   *
   * @param low where there are fewer, more are started
   * @param high where there are more, some are retired; at least {@code low}
   */
  record Target(int low, int high) {
    /** No idle Pod. */
    static final Target NONE = new Target(0, 0);
  }

  /**
   * What to do now.
   *
   * @param create how many Pods to create
   * @param retire how many idle ones to delete
   * @param cancel how many of those that start to delete, as far as they have no node yet
   * @param isLimited whether more would be created if more might start at once
   */
  record Plan(int create, int retire, int cancel, boolean isLimited) {}

  /**
   * What a pool needs.
   *
   * @param min its Pods that come before those of all pools beyond their own
   * @param podBytes the memory of one Pod
   * @param rate its calls per second: of two pools, the more used one is served first
   */
  record Need(PoolKey key, Target target, int min, long podBytes, double rate) {}

  /**
   * Limits of the memory of idle Pods, in bytes.
   *
   * @param namespace for all pools of a namespace
   * @param cluster for all pools
   */
  record MemoryLimits(long namespace, long cluster) {}

  /** One more Pod of a pool, the first of which has the index 0. */
  private record Unit(Need need, int index) {
    static final Comparator<Unit> URGENT_FIRST =
        Comparator.comparingInt(Unit::urgency)
            .thenComparingInt(Unit::index)
            .thenComparing(Comparator.<Unit>comparingDouble(unit -> unit.need().rate()).reversed());

    private int urgency() {
      if (index < need.min()) {
        return 0;
      }
      return index < need.target().low() ? 1 : 2;
    }
  }

  /**
   * What a pool is to have: the calls that are expected while a Pod starts, and a margin for
   * bursts. A burst as in the last minutes is expected again.
   *
   * @param startTime how long a Pod takes to start
   */
  static Target target(WarmPoolLimits limits, Arrivals arrivals, Duration startTime, Instant now) {
    if (arrivals.areOlderThan(limits.idle(), now)) {
      return new Target(limits.min(), limits.min());
    }
    double expected = arrivals.rate(now) * Arrivals.seconds(startTime);
    double margin = Math.max(DEVIATIONS * Math.sqrt(expected), arrivals.peak(now) - expected);
    int wanted = (int) Math.min(limits.max(), Math.ceil(expected + margin));
    int low = Math.max(Math.max(1, limits.min()), wanted);
    return new Target(low, Math.min(limits.max(), low + Math.max(1, low / SLACK_PART)));
  }

  /**
   * The targets of all pools, cut to what the limits allow: first the minima, then one Pod of each
   * pool after the other, those of the pools with most calls first.
   *
   * <p>Other Pods take memory of their namespace, and of the cluster as much as their namespace may
   * have; never that of the minima of other namespaces: anybody who may create Pods in a namespace
   * can make some that count.
   *
   * @param occupied bytes that other idle Pods of a namespace take, by its name
   */
  static Map<PoolKey, Target> withinMemory(
      Collection<Need> needs, Map<String, Long> occupied, MemoryLimits limits) {
    long others =
        occupied.values().stream().mapToLong(bytes -> Math.min(bytes, limits.namespace())).sum();
    Map<String, Long> free = new HashMap<>();
    List<Unit> units = new ArrayList<>();
    Map<PoolKey, Target> granted = new HashMap<>();
    for (Need need : needs) {
      String namespace = need.key().namespace();
      free.put(namespace, limits.namespace() - occupied.getOrDefault(namespace, 0L));
      granted.put(need.key(), Target.NONE);
      for (int index = 0; index < need.target().high(); index++) {
        units.add(new Unit(need, index));
      }
    }
    units.sort(Unit.URGENT_FIRST);
    long left = limits.cluster();
    for (Unit unit : units) {
      Need need = unit.need();
      long ofNamespace = free.getOrDefault(need.key().namespace(), 0L);
      long ofCluster = unit.index() < need.min() ? left : left - others;
      if (need.podBytes() <= Math.min(ofCluster, ofNamespace)) {
        left -= need.podBytes();
        free.put(need.key().namespace(), ofNamespace - need.podBytes());
        int count = unit.index() + 1;
        granted.put(need.key(), new Target(Math.min(count, need.target().low()), count));
      }
    }
    return granted;
  }

  /**
   * How many Pods of a pool that are to be succeeded may go. They count as none for {@link #plan},
   * so that their successors are started.
   *
   * @param idle how many others wait for a run
   * @param aging how many of these do
   */
  static int succeeded(Target target, int idle, int aging) {
    return Math.clamp((long) idle + aging - target.low(), 0, aging);
  }

  /**
   * The next step of a pool.
   *
   * @param idle how many Pods wait for a run
   * @param starting how many will, those included that no cache shows yet
   * @param startLimit how many may start at once
   */
  static Plan plan(Target target, int idle, int starting, int startLimit) {
    int missing = Math.max(0, target.low() - idle - starting);
    int allowed = Math.max(0, startLimit - starting);
    int retire = Math.max(0, idle - target.high());
    int cancel = Math.max(0, idle - retire + starting - target.high());
    return new Plan(Math.min(missing, allowed), retire, cancel, missing > allowed);
  }
}
