package dev.assay.operator.run.execution;

import java.util.LinkedHashSet;
import java.util.SequencedSet;

/**
 * The runs whose warm Pods did not take them, in memory. The cache may go on to show such a run as
 * it was before it was bound: whoever decides on that takes one warm Pod after the other.
 */
final class FailedClaims {
  /** The oldest are forgotten first. */
  static final int MAX_REMEMBERED = 10_000;

  private final SequencedSet<String> runs = new LinkedHashSet<>();

  /**
   * A warm Pod did not take a run.
   *
   * @return whether this is the first one
   */
  synchronized boolean add(String runUid) {
    boolean first = runs.add(runUid);
    if (runs.size() > MAX_REMEMBERED) {
      runs.removeFirst();
    }
    return first;
  }

  synchronized boolean contain(String runUid) {
    return runs.contains(runUid);
  }

  synchronized void forget(String runUid) {
    runs.remove(runUid);
  }
}
