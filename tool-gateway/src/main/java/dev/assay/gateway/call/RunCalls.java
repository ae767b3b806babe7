package dev.assay.gateway.call;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The calls of one run. A number is given to one call only, and its digest is never forgotten. */
final class RunCalls {
  private final Map<Integer, Entry> entries = new HashMap<>();
  private boolean closed;
  private Instant used;

  /** One call. */
  static final class Entry {
    private final String digest;
    private volatile CompletableFuture<CallReply> outcome = new CompletableFuture<>();
    private @Nullable Thread thread;

    Entry(String digest) {
      this.digest = digest;
    }

    CompletableFuture<CallReply> outcome() {
      return outcome;
    }

    /** Replaces an outcome, so that its bytes leave the memory. */
    void replace(CallReply other) {
      if (outcome.isDone()) {
        outcome = CompletableFuture.completedFuture(other);
      }
    }
  }

  RunCalls(Instant now) {
    this.used = now;
  }

  /** What becomes of a request. */
  sealed interface Place {
    /** It is the first for its number, and is to be sent. */
    record First(Entry entry) implements Place {}

    /** It is a repeat. */
    record Repeat(Entry entry) implements Place {}

    /** Another call has its number. */
    record Other() implements Place {}

    /** It would be the first, and is not taken now. */
    record Busy() implements Place {}

    /** The run is over. */
    record Closed() implements Place {}
  }

  /**
   * Finds the place of a request.
   *
   * @param admitted asked if it is the first for its number
   */
  synchronized Place place(int number, String digest, Instant now, BooleanSupplier admitted) {
    used = now;
    Entry known = entries.get(number);
    if (known != null) {
      return known.digest.equals(digest) ? new Place.Repeat(known) : new Place.Other();
    }
    if (closed) {
      return new Place.Closed();
    }
    if (!admitted.getAsBoolean()) {
      return new Place.Busy();
    }
    Entry entry = new Entry(digest);
    entries.put(number, entry);
    return new Place.First(entry);
  }

  /** Remembers who makes a call; false if the run is over. */
  synchronized boolean runs(Entry entry, Thread thread) {
    if (closed) {
      return false;
    }
    entry.thread = thread;
    return true;
  }

  /** Forgets who made a call, and with it what the call was made with. */
  synchronized void ended(Entry entry) {
    entry.thread = null;
  }

  /** Whether the maker of a call is remembered. */
  synchronized boolean isMade(int number) {
    Entry entry = entries.get(number);
    return entry != null && entry.thread != null;
  }

  /** Ends all calls that are being made. */
  synchronized void close(Instant now) {
    closed = true;
    used = now;
    for (Entry entry : entries.values()) {
      if (entry.thread != null && !entry.outcome.isDone()) {
        entry.thread.interrupt();
      }
      entry.replace(CallTable.UNKNOWN);
    }
  }

  synchronized boolean isUnusedSince(Instant then) {
    return used.isBefore(then) && entries.values().stream().allMatch(e -> e.outcome.isDone());
  }
}
