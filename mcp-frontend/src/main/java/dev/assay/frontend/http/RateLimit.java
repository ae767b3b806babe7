package dev.assay.frontend.http;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How often each caller or address may do something: a number of times a second, and more in a
 * burst. Who was last seen long ago is forgotten, and may begin anew.
 *
 * @param <K> who does it
 */
final class RateLimit<K> {
  private static final int MAX_REMEMBERED = 10_000;
  private static final long NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

  private final long interval;
  private final long ahead;
  private final LongSupplier nanoTime;

  /** When each would be at its usual pace again, in the order in which they were last seen. */
  private final Map<K, Long> onPace =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<K, Long> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  /**
   * A limit.
   *
   * @param perSecond times a second in the long run; at least 1
   * @param burst times at once
   * @param nanoTime a clock that is never set back
   */
  RateLimit(int perSecond, int burst, LongSupplier nanoTime) {
    this.interval = NANOS_PER_SECOND / perSecond;
    this.ahead = interval * (burst - 1L);
    this.nanoTime = nanoTime;
  }

  /** Whether it may be done once more now, which then counts. */
  synchronized boolean take(K who) {
    long now = nanoTime.getAsLong();
    Long known = onPace.get(who);
    long at = known == null || known - now < 0 ? now : known;
    if (at - now > ahead) {
      return false;
    }
    onPace.put(who, at + interval);
    return true;
  }
}
