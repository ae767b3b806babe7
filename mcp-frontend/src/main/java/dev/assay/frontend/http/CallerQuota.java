package dev.assay.frontend.http;

import dev.assay.frontend.identity.Identity;
import java.util.HashMap;
import java.util.Map;

/**
 * An amount that all callers share: together they take at most all of it, and each of them at most
 * its share, so that no single caller can take all of it.
 */
final class CallerQuota {
  private final long total;
  private final long perCaller;
  private final Map<Identity, Long> byCaller = new HashMap<>();
  private long taken;

  /** What became of a request for more. */
  enum Decision {
    GRANTED,
    /** All callers together have taken everything. */
    EXHAUSTED,
    /** This caller has taken its share. */
    OVER_SHARE
  }

  /**
   * A quota of which nothing is taken.
   *
   * @param total of all callers
   * @param perCaller of each of them
   */
  CallerQuota(long total, long perCaller) {
    this.total = total;
    this.perCaller = perCaller;
  }

  /** Takes an amount, all of it or nothing. */
  synchronized Decision take(Identity caller, long amount) {
    long own = byCaller.getOrDefault(caller, 0L);
    if (amount > total - taken) {
      return Decision.EXHAUSTED;
    }
    if (amount > perCaller - own) {
      return Decision.OVER_SHARE;
    }
    taken += amount;
    byCaller.put(caller, own + amount);
    return Decision.GRANTED;
  }

  /** Gives back what was taken. */
  synchronized void give(Identity caller, long amount) {
    taken -= amount;
    byCaller.computeIfPresent(caller, (key, own) -> own == amount ? null : own - amount);
  }
}
