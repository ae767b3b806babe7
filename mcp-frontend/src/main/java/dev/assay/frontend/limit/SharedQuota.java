package dev.assay.frontend.limit;

import java.util.HashMap;
import java.util.Map;

/**
 * An amount that is shared: all together take at most all of it, and each caller or address at most
 * its share, so that none can take all of it.
 *
 * @param <K> who takes
 */
public final class SharedQuota<K> {
  private final long total;
  private final long share;
  private final Map<K, Long> byTaker = new HashMap<>();
  private long taken;

  /** What became of a request for more. */
  public enum Decision {
    GRANTED,
    /** All together have taken everything. */
    EXHAUSTED,
    /** This one has taken its share. */
    OVER_SHARE
  }

  /**
   * A quota of which nothing is taken.
   *
   * @param total of all together
   * @param share of each of them
   */
  public SharedQuota(long total, long share) {
    this.total = total;
    this.share = share;
  }

  /** Takes an amount, all of it or nothing. */
  public synchronized Decision take(K taker, long amount) {
    long own = byTaker.getOrDefault(taker, 0L);
    if (amount > total - taken) {
      return Decision.EXHAUSTED;
    }
    if (amount > share - own) {
      return Decision.OVER_SHARE;
    }
    taken += amount;
    byTaker.put(taker, own + amount);
    return Decision.GRANTED;
  }

  /** Gives back what was taken. */
  public synchronized void give(K taker, long amount) {
    taken -= amount;
    byTaker.computeIfPresent(taker, (key, own) -> own == amount ? null : own - amount);
  }

  /** What is taken now, of all together. */
  public synchronized long taken() {
    return taken;
  }
}
