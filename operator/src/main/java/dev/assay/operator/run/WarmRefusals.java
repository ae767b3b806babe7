package dev.assay.operator.run;

import dev.assay.api.v1alpha1.PinnedSnapshot;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the supervisor of a warm Pod has refused, in memory: the next one most likely refuses it,
 * too, and each refusal costs a warm Pod. Such runs get Pods of their own, for ten minutes.
 */
final class WarmRefusals {
  static final Duration MEMORY = Duration.ofMinutes(10);

  private static final int MAX_REFUSALS = 1_000;

  private final Clock clock;

  /**
   * When each was refused: a run by its UID, or the snapshots of a job, of which all together may
   * be beyond a limit.
   */
  private final Map<Object, Instant> refused = new LinkedHashMap<>();

  WarmRefusals(Clock clock) {
    this.clock = clock;
  }

  /** A supervisor has refused to open these. */
  void snapshotsRefused(List<PinnedSnapshot> snapshots) {
    remember(List.copyOf(snapshots));
  }

  /** A supervisor has refused the job of a run. */
  void runRefused(String runUid) {
    remember(runUid);
  }

  private synchronized void remember(Object what) {
    refused.remove(what);
    refused.put(what, clock.instant());
    if (refused.size() > MAX_REFUSALS) {
      refused.remove(refused.keySet().iterator().next());
    }
  }

  /** Whether a run, or what it reads, was refused lately. */
  synchronized boolean contain(String runUid, List<PinnedSnapshot> snapshots) {
    Instant forgotten = clock.instant().minus(MEMORY);
    refused.values().removeIf(since -> since.isBefore(forgotten));
    return refused.containsKey(runUid) || (!snapshots.isEmpty() && refused.containsKey(snapshots));
  }
}
