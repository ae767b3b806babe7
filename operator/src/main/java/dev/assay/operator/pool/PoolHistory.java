package dev.assay.operator.pool;

import static java.util.stream.Collectors.toMap;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import java.time.Clock;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The calls of the pools: when they came, and whether they found a Pod. */
public final class PoolHistory {
  /** A run that waits for a Pod looks for a warm one again and again. */
  private static final int MAX_REMEMBERED_RUNS = 10_000;

  private final PoolStarts starts;
  private final Clock clock;
  private final Map<PoolKey, Arrivals> arrivals = new HashMap<>();
  private final Map<PoolKey, Counts> counts = new HashMap<>();

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

  /**
   * No calls yet.
   *
   * @param starts how long Pods take to start: calls that come within that time are a burst
   */
  PoolHistory(PoolStarts starts, Clock clock) {
    this.starts = starts;
    this.clock = clock;
  }

  /**
   * A run looks for a warm Pod. Its later attempts do not count.
   *
   * @param hit whether it found one
   */
  public synchronized void called(PoolKey key, String runUid, boolean hit) {
    if (countedRuns.putIfAbsent(runUid, true) == null) {
      arrivals.put(key, arrivals(key).with(clock.instant(), starts.time(key)));
      counts.merge(key, hit ? new Counts(1, 0) : new Counts(0, 1), Counts::and);
    }
  }

  synchronized Arrivals arrivals(PoolKey key) {
    return arrivals.getOrDefault(key, Arrivals.NONE);
  }

  synchronized Counts counts(PoolKey key) {
    return counts.getOrDefault(key, Counts.NONE);
  }

  /**
   * Forgets the pools of all classes but these, and takes over the counts of an earlier leader from
   * the statuses of those that are new to this process.
   *
   * @return whether a pool was one of another class, perhaps of the same name
   */
  synchronized Predicate<PoolKey> classesAre(Collection<RunClass> existing) {
    Map<String, String> before = classes;
    Map<String, String> now =
        existing.stream()
            .collect(
                toMap(
                    found -> found.getMetadata().getName(),
                    found -> found.getMetadata().getUid(),
                    (first, second) -> second));
    Predicate<PoolKey> isGone =
        key -> {
          String uid = now.get(key.className());
          return uid == null || !uid.equals(before.getOrDefault(key.className(), uid));
        };
    arrivals.keySet().removeIf(isGone);
    counts.keySet().removeIf(isGone);
    existing.stream()
        .filter(
            found ->
                !found.getMetadata().getUid().equals(before.get(found.getMetadata().getName())))
        .forEach(this::restore);
    classes = now;
    return isGone;
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
          .forEach(key -> counts.merge(key, new Counts(found.hits(), found.misses()), Counts::and));
    }
  }
}
