package dev.assay.frontend.call;

import dev.assay.frontend.identity.Identity;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The calls that this process is working on. */
public final class CallsInFlight {
  private final Map<CallKey, Set<Cancellation>> calls = new ConcurrentHashMap<>();

  /** Takes a call in; closing the result takes it out. */
  public Registration register(CallKey key, Cancellation cancellation) {
    calls.compute(
        key,
        (k, known) -> {
          Set<Cancellation> all = known == null ? ConcurrentHashMap.newKeySet() : known;
          all.add(cancellation);
          return all;
        });
    return () ->
        calls.computeIfPresent(
            key,
            (k, known) -> {
              known.remove(cancellation);
              return known.isEmpty() ? null : known;
            });
  }

  /**
   * Cancels a call. Where clients of one identity without sessions use one id at the same time, it
   * cannot be known which of them is meant, and none is cancelled.
   *
   * @return whether there is such a call here
   */
  public boolean cancel(CallKey key) {
    Set<Cancellation> known = calls.get(key);
    if (known == null) {
      return false;
    }
    Cancellation[] all = known.toArray(Cancellation[]::new);
    if (all.length == 1) {
      all[0].cancel(Cancellation.Cause.REQUESTED);
    }
    return all.length > 0;
  }

  /** Cancels all calls of a session. */
  public void cancelAll(Identity identity, String session) {
    calls.forEach(
        (key, known) -> {
          if (key.identity().equals(identity) && session.equals(key.session())) {
            known.forEach(call -> call.cancel(Cancellation.Cause.REQUESTED));
          }
        });
  }

  /** How many different calls are known. */
  public int size() {
    return calls.size();
  }

  /** Takes a call out. */
  @FunctionalInterface
  public interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
