package dev.assay.gateway.call;

import java.time.Instant;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one run. A number is given to one call only, and it is never forgotten that it was
 * given. What a call was is forgotten with its outcome.
 */
final class RunCalls {
  private Map<Integer, Entry> entries = new HashMap<>();

  /** The numbers whose calls are forgotten. Numbers follow each other. */
  private BitSet forgotten = new BitSet();

  private int highest;
  private boolean closed;
  private Instant used;

  /** One call. */
  static final class Entry {
    private final int number;
    private final String digest;
    private final CompletableFuture<CallReply> outcome = new CompletableFuture<>();
    private @Nullable Thread thread;

    Entry(int number, String digest) {
      this.number = number;
      this.digest = digest;
    }

    CompletableFuture<CallReply> outcome() {
      return outcome;
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

    /** A call had its number, and is forgotten. */
    record Forgotten() implements Place {}

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
      // Which of the lower numbers were given is forgotten, too: none of them is certainly unsent.
      return number <= highest ? new Place.Forgotten() : new Place.Closed();
    }
    if (forgotten.get(number)) {
      return new Place.Forgotten();
    }
    if (!admitted.getAsBoolean()) {
      return new Place.Busy();
    }
    Entry entry = new Entry(number, digest);
    entries.put(number, entry);
    highest = Math.max(highest, number);
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
    if (closed) {
      entries.remove(entry.number);
    }
  }

  /** Forgets a call that was made, and its outcome. */
  synchronized void forget(Entry entry) {
    if (!closed && entries.remove(entry.number, entry)) {
      forgotten.set(entry.number);
    }
  }

  /** Whether the maker of a call is remembered. */
  synchronized boolean isMade(int number) {
    Entry entry = entries.get(number);
    return entry != null && entry.thread != null;
  }

  /** Ends all calls that are being made, and forgets the others. */
  synchronized void close(Instant now) {
    closed = true;
    used = now;
    // Another map, as a map keeps the room of what was removed from it.
    Map<Integer, Entry> unended = new HashMap<>();
    for (Entry entry : entries.values()) {
      if (!entry.outcome.isDone()) {
        unended.put(entry.number, entry);
        if (entry.thread != null) {
          entry.thread.interrupt();
        }
      }
    }
    entries = unended;
    forgotten = new BitSet();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  /** How many calls are remembered. */
  synchronized int remembered() {
    return entries.size();
  }

  synchronized boolean isUnusedSince(Instant then) {
    return used.isBefore(then) && entries.values().stream().allMatch(e -> e.outcome.isDone());
  }
}
