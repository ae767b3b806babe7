package dev.assay.frontend.limit;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Limits the rate of each caller or address by the generic cell rate algorithm: a sustained rate,
 * and a burst. The least recently used keys are forgotten.
 *
 * @param <K> what is limited
 */
public final class RateLimit<K> {
  private static final int BURST_SECONDS = 5;
  private static final int MAX_REMEMBERED = 10_000;
  private static final long NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

  private final long interval;
  private final long burstTolerance;
  private final LongSupplier nanoTime;

  /** When the next of each is due at the sustained rate, the least recently used first. */
  private final Map<K, Long> nextDue =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Long> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  /**
   * A limit.
   *
   * @param perSecond the sustained rate; at least 1
   * @param burst how many may come at once
   * @param nanoTime a clock that is never set back
   */
  public RateLimit(int perSecond, int burst, LongSupplier nanoTime) {
    this.interval = NANOS_PER_SECOND / perSecond;
    this.burstTolerance = interval * (burst - 1L);
    this.nanoTime = nanoTime;
  }

  /** A limit with bursts of five seconds. */
  public static <K> RateLimit<K> perSecond(int rate) {
    return perSecond(rate, System::nanoTime);
  }

  /** The same with a clock that is never set back. */
  public static <K> RateLimit<K> perSecond(int rate, LongSupplier nanoTime) {
    return new RateLimit<>(rate, BURST_SECONDS * rate, nanoTime);
  }

  /** Counts one more; false if it exceeds the limit. */
  public synchronized boolean take(K who) {
    long now = nanoTime.getAsLong();
    Long known = nextDue.get(who);
    long at = known == null || known - now < 0 ? now : known;
    if (at - now > burstTolerance) {
      return false;
    }
    nextDue.put(who, at + interval);
    return true;
  }
}
