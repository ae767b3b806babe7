package dev.assay.operator.dataset;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What this leader knows of the snapshots of a namespace.
 *
 * @param inUse at the last look
 * @param changed the look at which that was another than before
 * @param swept the look that the last sweep was made from; null where there was none
 */
record CleanupHistory(SortedSet<String> inUse, Instant changed, @Nullable Instant swept) {

  static CleanupHistory begin(SortedSet<String> inUse, Instant now) {
    return new CleanupHistory(inUse, now, null);
  }

  CleanupHistory looked(SortedSet<String> found, Instant now) {
    return new CleanupHistory(found, found.equals(inUse) ? changed : now, swept);
  }

  CleanupHistory sweptAt(Instant look) {
    return new CleanupHistory(inUse, changed, look);
  }

  /**
   * Whether a sweep could remove anything: what was left behind by the last change is old enough to
   * go only some time later.
   */
  boolean isDue(Duration minAge) {
    return swept == null || swept.isBefore(changed.plus(minAge));
  }

  /** What was in use at the last look or is now. */
  SortedSet<String> inUseAlso(Set<String> found) {
    SortedSet<String> both = new TreeSet<>(inUse);
    both.addAll(found);
    return both;
  }
}
