package dev.assay.operator.tool;

import java.util.HashSet;
import java.util.Set;

/** The calls of a run that may be sent and have no outcome yet. */
final class CallsInFlight {
  private final Set<Integer> begun = new HashSet<>();
  private int ended;

  synchronized void begin(int call) {
    begun.add(call);
  }

  synchronized void end(int call) {
    begun.remove(call);
    ended++;
    notifyAll();
  }

  /**
   * How many there are.
   *
   * @param recorded those whose intent is recorded, by whichever process, and no outcome
   */
  synchronized int count(Set<Integer> recorded) {
    Set<Integer> all = new HashSet<>(recorded);
    all.addAll(begun);
    return all.size();
  }

  /** How many have ended so far. */
  synchronized int ended() {
    return ended;
  }

  /** Waits until another one has ended after {@link #ended} returned {@code seen}. */
  synchronized void awaitEndAfter(int seen) throws InterruptedException {
    while (ended == seen) {
      wait();
    }
  }
}
