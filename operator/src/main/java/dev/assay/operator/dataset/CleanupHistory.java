package dev.assay.operator.dataset;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What this leader knows about the snapshots in use in a namespace.
 *
 * @param inUse the snapshots in use at the last check
 * @param changed the last check at which {@code inUse} changed
 * @param swept the check that the last sweep was based on; null if there was none
 */
record CleanupHistory(SortedSet<String> inUse, Instant changed, @Nullable Instant swept) {

  static CleanupHistory begin(SortedSet<String> inUse, Instant now) {
    return new CleanupHistory(inUse, now, null);
  }

  CleanupHistory observed(SortedSet<String> found, Instant now) {
    return new CleanupHistory(found, found.equals(inUse) ? changed : now, swept);
  }

  CleanupHistory sweptAt(Instant checkTime) {
    return new CleanupHistory(inUse, changed, checkTime);
  }

  /**
   * Whether a sweep could remove anything: what became unused at the last change is old enough only
   * some time later.
   */
  boolean isDue(Duration minAge) {
    return swept == null || swept.isBefore(changed.plus(minAge));
  }

  /** The snapshots in use at the last check or now. */
  SortedSet<String> inUseOrFound(Set<String> found) {
    SortedSet<String> both = new TreeSet<>(inUse);
    both.addAll(found);
    return both;
  }
}
