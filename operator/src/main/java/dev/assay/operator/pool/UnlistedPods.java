package dev.assay.operator.pool;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Created Pods, and requested ones that may have been created, that the cache does not list yet:
 * otherwise a pool would create them again in each round until it does. Not thread-safe.
 */
final class UnlistedPods {
  /** After this time, a Pod that never appeared was most likely not created, or deleted at once. */
  private static final Duration MAX_UNLISTED = Duration.ofSeconds(60);

  private final Clock clock;
  private final Map<String, Created> byName = new HashMap<>();

  private record Created(String hash, Instant at) {}

  UnlistedPods(Clock clock) {
    this.clock = clock;
  }

  /**
   * Adds a Pod.
   *
   * @param hash of the template that it was created from
   */
  void add(String name, String hash) {
    byName.put(name, new Created(hash, clock.instant()));
  }

  /** Removes the Pods that are listed by now, and those that will most likely never be. */
  void remove(Set<String> listed) {
    Instant oldest = clock.instant().minus(MAX_UNLISTED);
    byName
        .entrySet()
        .removeIf(
            entry -> listed.contains(entry.getKey()) || !entry.getValue().at().isAfter(oldest));
  }

  /** The number of Pods that were created from a template. */
  int count(String hash) {
    return Math.toIntExact(
        byName.values().stream().filter(created -> created.hash().equals(hash)).count());
  }
}
