package dev.assay.operator.run;

import dev.assay.api.v1alpha1.PinnedSnapshot;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Snapshots that the supervisor of a warm Pod has refused to open, in memory: the next one most
 * likely refuses, too, and each refusal costs a warm Pod. Runs that read them get Pods of their
 * own, for ten minutes.
 */
final class UnopenedSnapshots {
  static final Duration MEMORY = Duration.ofMinutes(10);

  private static final int MAX_SETS = 1_000;

  private final Clock clock;

  /** When each set of them was refused; a limit may be that of all of them together. */
  private final Map<List<PinnedSnapshot>, Instant> refused = new LinkedHashMap<>();

  UnopenedSnapshots(Clock clock) {
    this.clock = clock;
  }

  /** A supervisor has refused to open these. */
  synchronized void refused(List<PinnedSnapshot> snapshots) {
    refused.remove(snapshots);
    refused.put(List.copyOf(snapshots), clock.instant());
    if (refused.size() > MAX_SETS) {
      refused.remove(refused.keySet().iterator().next());
    }
  }

  /** Whether these were refused lately. */
  synchronized boolean contains(List<PinnedSnapshot> snapshots) {
    Instant forgotten = clock.instant().minus(MEMORY);
    refused.values().removeIf(since -> since.isBefore(forgotten));
    return refused.containsKey(snapshots);
  }
}
