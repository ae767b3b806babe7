package dev.assay.operator.pool;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Bounds how much is done at once for the Pods of one namespace, however many there are: anybody
 * who may create Pods there can make a thousand that look like those of a pool.
 */
final class NamespaceSlots {
  private final int each;
  private final Map<String, Integer> taken = new ConcurrentHashMap<>();

  /**
   * Slots, all of them free.
   *
   * @param each how many a namespace has
   */
  NamespaceSlots(int each) {
    this.each = each;
  }

  /** Takes a slot, which has to be released; returns whether there was one. */
  boolean tryAcquire(String namespace) {
    boolean[] acquired = new boolean[1];
    taken.compute(
        namespace,
        (name, count) -> {
          int before = count == null ? 0 : count;
          acquired[0] = before < each;
          return acquired[0] ? (Integer) (before + 1) : count;
        });
    return acquired[0];
  }

  void release(String namespace) {
    taken.computeIfPresent(namespace, (name, count) -> count == 1 ? null : (Integer) (count - 1));
  }
}
