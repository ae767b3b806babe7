package dev.assay.gateway.call;

import dev.assay.api.toolcall.CallCode;
import dev.assay.api.toolcall.Sent;
import dev.assay.gateway.call.RunCalls.Entry;
import dev.assay.gateway.call.RunCalls.Place;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls, each made at most once: a repeat of a request gets the outcome of the first. Calls are
 * kept with their outcomes up to a number of bytes, the newest last; the outcome of one that was
 * dropped, or whose run is over, is unknown.
 */
public final class CallTable {
  /** How many calls are made at once. */
  public static final int MAX_IN_FLIGHT = InFlight.MAX;

  /** In the place of an outcome that is no longer kept. */
  static final CallReply UNKNOWN =
      CallReply.failed(
          CallCode.OUTCOME_UNKNOWN,
          "The outcome of the call is no longer kept.",
          Sent.UNKNOWN,
          0,
          null);

  private static final CallReply OVER =
      CallReply.failed(CallCode.UPSTREAM_UNAVAILABLE, "The run is over.", Sent.NO, 0, null);

  /** Far longer than a run lasts. */
  private static final Duration FORGET_AFTER = Duration.ofHours(2);

  private final Map<String, RunCalls> runs = new ConcurrentHashMap<>();
  private final InFlight inFlight = new InFlight();
  private final Clock clock;
  private final long maxKeptBytes;
  private final ArrayDeque<Kept> kept = new ArrayDeque<>();
  private long keptBytes;
  private volatile boolean stopping;

  private record Kept(RunCalls run, Entry entry, long bytes) {}

  /** What makes a call. */
  public interface Dispatch {
    /** Makes the call; returns an outcome whatever happens. */
    CallReply make();

    /** Does what nobody waits for who waits for the outcome, once they have it. */
    default void made(CallReply outcome) {}
  }

  /**
   * An empty table.
   *
   * @param maxKeptBytes of the calls that are kept, each with its outcome
   */
  public CallTable(long maxKeptBytes, Clock clock) {
    this.maxKeptBytes = maxKeptBytes;
    this.clock = clock;
  }

  /**
   * The outcome of a call, which is made if this is the first request for it.
   *
   * @param number of the call in its run, from 1
   * @param of whose share of the calls that are made at once it takes
   * @return empty if the number belongs to another call
   * @throws BusyException if it would be the first request, and there are too many calls or this
   *     process is stopping
   */
  public Optional<CompletableFuture<CallReply>> call(
      String run, int number, String digest, ServerKey of, Dispatch dispatch) {
    Instant now = clock.instant();
    RunCalls calls = runs.computeIfAbsent(run, uid -> new RunCalls(now));
    return switch (calls.place(number, digest, now, () -> !stopping && inFlight.enter(of))) {
      case Place.First(Entry entry) -> {
        start(calls, number, entry, of, dispatch);
        yield Optional.of(entry.outcome().copy());
      }
      case Place.Repeat(Entry entry) -> Optional.of(entry.outcome().copy());
      case Place.Forgotten() -> Optional.of(CompletableFuture.completedFuture(UNKNOWN));
      case Place.Closed() -> Optional.of(CompletableFuture.completedFuture(OVER));
      case Place.Other() -> Optional.empty();
      case Place.Busy() ->
          throw new BusyException(
              stopping ? "This replica is stopping." : "There are too many calls.");
    };
  }

  private void start(RunCalls calls, int number, Entry entry, ServerKey of, Dispatch dispatch) {
    Thread thread =
        Thread.ofVirtual()
            .name("call-" + number)
            .unstarted(
                () -> {
                  try {
                    CallReply outcome = dispatch.make();
                    try {
                      // First, so that calls that follow each other are dropped in their order.
                      keep(calls, entry, outcome);
                    } finally {
                      entry.outcome().complete(outcome);
                    }
                    dispatch.made(outcome);
                  } catch (RuntimeException | Error e) {
                    entry.outcome().complete(UNKNOWN);
                    throw e;
                  } finally {
                    calls.ended(entry);
                    inFlight.leave(of);
                  }
                });
    if (calls.runs(entry, thread)) {
      thread.start();
    } else {
      inFlight.leave(of);
      entry.outcome().complete(OVER);
      calls.ended(entry);
    }
  }

  private synchronized void keep(RunCalls calls, Entry entry, CallReply outcome) {
    if (calls.isClosed()) {
      return;
    }
    kept.addLast(new Kept(calls, entry, outcome.size()));
    keptBytes += outcome.size();
    while (keptBytes > maxKeptBytes && kept.size() > 1) {
      Kept oldest = kept.removeFirst();
      keptBytes -= oldest.bytes;
      oldest.run.forget(oldest.entry);
    }
  }

  /** Cancels the calls of a run that are being made, and forgets the outcomes of the others. */
  public void close(String run) {
    Instant now = clock.instant();
    runs.computeIfAbsent(run, uid -> new RunCalls(now)).close(now);
    synchronized (this) {
      RunCalls closed = runs.get(run);
      kept.removeIf(
          outcome -> {
            if (outcome.run == closed) {
              keptBytes -= outcome.bytes;
              return true;
            }
            return false;
          });
    }
    runs.values().removeIf(calls -> calls.isUnusedSince(now.minus(FORGET_AFTER)));
  }

  /** Makes no more calls; repeats of those that were made have their outcomes. */
  public void stop() {
    stopping = true;
  }

  /** How many calls of a run are remembered. */
  int remembered(String run) {
    RunCalls calls = runs.get(run);
    return calls == null ? 0 : calls.remembered();
  }

  /** Whether the thread of a call is remembered. */
  boolean isMade(String run, int number) {
    RunCalls calls = runs.get(run);
    return calls != null && calls.isMade(number);
  }

  /** How many calls are being made. */
  public int inFlight() {
    return inFlight.total();
  }
}
