package dev.assay.operator.run.execution;

import dev.assay.api.v1alpha1.PinnedSnapshot;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the supervisor of a warm Pod has refused, in memory: the next one most likely refuses it,
 * too, and each refusal costs a warm Pod. Such runs get Pods of their own, for ten minutes. Each
 * namespace has a list of its own, so that the refusals of one push out those of no other.
 */
public final class WarmRefusals {
  public static final Duration MEMORY = Duration.ofMinutes(10);

  /** In each list of a namespace; the oldest are forgotten first. */
  private static final int MAX_REFUSALS = 100;

  private final Clock clock;

  /** By namespace; the snapshots of a job, of which all together may be beyond a limit. */
  private final Map<String, Refused<List<PinnedSnapshot>>> refusedSnapshots = new HashMap<>();

  /** By namespace; the UIDs. Apart, since there are many more runs than lists of snapshots. */
  private final Map<String, Refused<String>> refusedRuns = new HashMap<>();

  public WarmRefusals(Clock clock) {
    this.clock = clock;
  }

  /** A supervisor has refused to open these. */
  public synchronized void snapshotsRefused(String namespace, List<PinnedSnapshot> snapshots) {
    refusedSnapshots
        .computeIfAbsent(namespace, unused -> new Refused<>())
        .add(List.copyOf(snapshots), clock.instant());
  }

  /** A supervisor has refused the job of a run, or the run cannot be given a warm Pod. */
  public synchronized void runRefused(String namespace, String runUid) {
    refusedRuns.computeIfAbsent(namespace, unused -> new Refused<>()).add(runUid, clock.instant());
  }

  /** Whether a run, or what it reads, was refused lately. */
  public synchronized boolean contain(
      String namespace, String runUid, List<PinnedSnapshot> snapshots) {
    Instant oldest = clock.instant().minus(MEMORY);
    Refused<String> runs = refusedRuns.get(namespace);
    Refused<List<PinnedSnapshot>> lists = refusedSnapshots.get(namespace);
    return (runs != null && runs.contain(runUid, oldest))
        || (lists != null && !snapshots.isEmpty() && lists.contain(snapshots, oldest));
  }

  /** When each was refused. */
  private static final class Refused<T> {
    private final Map<T, Instant> since = new LinkedHashMap<>();

    void add(T what, Instant now) {
      since.remove(what);
      since.put(what, now);
      if (since.size() > MAX_REFUSALS) {
        since.remove(since.keySet().iterator().next());
      }
    }

    boolean contain(T what, Instant oldest) {
      since.values().removeIf(refused -> refused.isBefore(oldest));
      return since.containsKey(what);
    }
  }
}
