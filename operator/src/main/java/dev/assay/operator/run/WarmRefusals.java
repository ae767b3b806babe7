package dev.assay.operator.run;

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
final class WarmRefusals {
  static final Duration MEMORY = Duration.ofMinutes(10);

  /** Of a namespace; the oldest are forgotten first. */
  private static final int MAX_REFUSALS = 100;

  private final Clock clock;

  /**
   * When each was refused, by namespace: a run by its UID, or the snapshots of a job, of which all
   * together may be beyond a limit.
   */
  private final Map<String, Map<Object, Instant>> refused = new HashMap<>();

  WarmRefusals(Clock clock) {
    this.clock = clock;
  }

  /** A supervisor has refused to open these. */
  void snapshotsRefused(String namespace, List<PinnedSnapshot> snapshots) {
    remember(namespace, List.copyOf(snapshots));
  }

  /** A supervisor has refused the job of a run. */
  void runRefused(String namespace, String runUid) {
    remember(namespace, runUid);
  }

  private synchronized void remember(String namespace, Object what) {
    Map<Object, Instant> known =
        refused.computeIfAbsent(namespace, unused -> new LinkedHashMap<>());
    known.remove(what);
    known.put(what, clock.instant());
    if (known.size() > MAX_REFUSALS) {
      known.remove(known.keySet().iterator().next());
    }
  }

  /** Whether a run, or what it reads, was refused lately. */
  synchronized boolean contain(String namespace, String runUid, List<PinnedSnapshot> snapshots) {
    Map<Object, Instant> known = refused.get(namespace);
    if (known == null) {
      return false;
    }
    Instant forgotten = clock.instant().minus(MEMORY);
    known.values().removeIf(since -> since.isBefore(forgotten));
    return known.containsKey(runUid) || (!snapshots.isEmpty() && known.containsKey(snapshots));
  }
}
