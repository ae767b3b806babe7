package dev.assay.operator.pool;

import static java.util.stream.Collectors.toMap;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** What the pools have seen: calls, hits and misses, and how long their Pods take to start. */
public final class PoolHistory {
  /** A run that waits for a Pod looks for a warm one again and again. */
  private static final int MAX_REMEMBERED_RUNS = 10_000;

  /** After this time, a Pod that never became idle has failed. */
  private static final Duration MAX_START = Duration.ofMinutes(10);

  private final Clock clock;
  private final Map<PoolKey, Pool> pools = new HashMap<>();
  private final Map<String, Instant> creations = new HashMap<>();

  /** The UIDs of the classes that the pools are of, by name. */
  private Map<String, String> classes = Map.of();

  /** By UID; the values do not matter. */
  private final Map<String, Boolean> countedRuns =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
          return size() > MAX_REMEMBERED_RUNS;
        }
      };

  /**
   * Runs that could be given a warm Pod.
   *
   * @param hits those that were, at once
   * @param misses the others
   */
  record Counts(long hits, long misses) {
    static final Counts NONE = new Counts(0, 0);

    Counts and(Counts others) {
      return new Counts(hits + others.hits, misses + others.misses);
    }
  }

  private record Pool(
      Arrivals arrivals, StartTime startTime, StartLimit startLimit, Counts counts) {
    static final Pool NEW = new Pool(Arrivals.NONE, StartTime.UNKNOWN, StartLimit.NEW, Counts.NONE);
  }

  public PoolHistory(Clock clock) {
    this.clock = clock;
  }

  /**
   * A run looks for a warm Pod. Its later attempts do not count.
   *
   * @param hit whether it found one
   */
  public synchronized void called(PoolKey key, String runUid, boolean hit) {
    if (countedRuns.putIfAbsent(runUid, true) != null) {
      return;
    }
    Pool pool = pool(key);
    pools.put(
        key,
        new Pool(
            pool.arrivals().with(clock.instant(), pool.startTime().estimate()),
            pool.startTime(),
            pool.startLimit(),
            pool.counts().and(hit ? new Counts(1, 0) : new Counts(0, 1))));
  }

  /** A Pod of a pool is about to be created. */
  synchronized void created(String podName) {
    Instant now = clock.instant();
    creations.values().removeIf(at -> at.isBefore(now.minus(MAX_START)));
    creations.put(podName, now);
  }

  /** A Pod has become idle. One that another leader has created tells nothing of its start. */
  synchronized void idle(PoolKey key, String podName) {
    Instant created = creations.remove(podName);
    if (created != null) {
      Instant now = clock.instant();
      Duration took = Duration.between(created, now);
      Pool pool = pool(key);
      pools.put(
          key,
          new Pool(
              pool.arrivals(),
              pool.startTime().with(took),
              pool.startLimit().with(took, now),
              pool.counts()));
    }
  }

  /** A pool wants more Pods than may start at once. */
  synchronized void startLimitIsReached(PoolKey key) {
    Pool pool = pool(key);
    pools.put(
        key,
        new Pool(
            pool.arrivals(),
            pool.startTime(),
            pool.startLimit().isReached(clock.instant()),
            pool.counts()));
  }

  /** How many Pods of a pool may start at once. */
  synchronized int startLimit(PoolKey key) {
    return pool(key).startLimit().count();
  }

  synchronized Arrivals arrivals(PoolKey key) {
    return pool(key).arrivals();
  }

  /** How long a Pod takes from its creation until it is idle. */
  synchronized Duration startTime(PoolKey key) {
    return pool(key).startTime().estimate();
  }

  synchronized Counts counts(PoolKey key) {
    return pool(key).counts();
  }

  /**
   * Forgets the pools of all classes but these, and takes over the counts of an earlier leader from
   * the statuses of those that are new to this process.
   */
  synchronized void classesAre(Collection<RunClass> existing) {
    Map<String, String> now =
        existing.stream()
            .collect(
                toMap(
                    found -> found.getMetadata().getName(),
                    found -> found.getMetadata().getUid(),
                    (first, second) -> second));
    pools
        .keySet()
        .removeIf(
            key -> {
              String known = classes.get(key.className());
              return known != null && !known.equals(now.get(key.className()));
            });
    existing.stream()
        .filter(
            found ->
                !found.getMetadata().getUid().equals(classes.get(found.getMetadata().getName())))
        .forEach(this::restore);
    classes = now;
  }

  private void restore(RunClass runClass) {
    RunClassStatus status = runClass.getStatus();
    if (status == null || status.warmPool() == null) {
      return;
    }
    for (NamespacePool found : status.warmPool().pools()) {
      Stream.of(Program.values())
          .filter(program -> PoolStatus.worker(program).equals(found.worker()))
          .map(program -> new PoolKey(found.namespace(), runClass.getMetadata().getName(), program))
          .forEach(key -> restore(key, new Counts(found.hits(), found.misses())));
    }
  }

  private void restore(PoolKey key, Counts before) {
    Pool pool = pool(key);
    pools.put(
        key,
        new Pool(pool.arrivals(), pool.startTime(), pool.startLimit(), before.and(pool.counts())));
  }

  private Pool pool(PoolKey key) {
    return pools.getOrDefault(key, Pool.NEW);
  }
}
