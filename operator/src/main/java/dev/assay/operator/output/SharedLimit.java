package dev.assay.operator.output;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * A limit shared by the callers of a namespace. The oldest items of the caller with the largest
 * share go first: the greater of its fractions of the count and of the bytes. Pure.
 *
 * @param maxCount how many there may be
 * @param maxBytes how many bytes they may take
 */
public record SharedLimit(long maxCount, long maxBytes) {

  /**
   * Something that counts.
   *
   * @param caller whose it is; empty where that is not known
   * @param removable whether it may go
   */
  public record Item<T>(T what, String caller, long bytes, boolean removable) {}

  /** What a caller has, or all of them. */
  private static final class Share<T> {
    private final Deque<Item<T>> removable = new ArrayDeque<>();
    private long count;
    private long bytes;

    private void add(Item<T> item) {
      count++;
      bytes += item.bytes();
    }

    private void remove(Item<T> item) {
      count--;
      bytes -= item.bytes();
    }
  }

  /** Whether so many with so many bytes are within the limit. */
  public boolean allows(long count, long bytes) {
    return count <= maxCount && bytes <= maxBytes;
  }

  /**
   * What has to go for the others to be within the limit, in this order.
   *
   * @param oldestFirst all that count
   */
  public <T> List<T> excess(Collection<Item<T>> oldestFirst) {
    return excess(oldestFirst, false);
  }

  /** The same, but once nothing of the caller who has most may go, nobody else loses anything. */
  public <T> List<T> excessOfGreediest(Collection<Item<T>> oldestFirst) {
    return excess(oldestFirst, true);
  }

  private <T> List<T> excess(Collection<Item<T>> oldestFirst, boolean ofGreediest) {
    Share<T> all = new Share<>();
    oldestFirst.forEach(all::add);
    if (allows(all.count, all.bytes)) {
      return List.of();
    }
    Map<String, Share<T>> byCaller = new HashMap<>();
    for (Item<T> item : oldestFirst) {
      Share<T> share = byCaller.computeIfAbsent(item.caller(), unused -> new Share<>());
      share.add(item);
      if (item.removable()) {
        share.removable.add(item);
      }
    }
    PriorityQueue<Share<T>> greediestFirst =
        new PriorityQueue<>(Comparator.comparingDouble((Share<T> share) -> part(share)).reversed());
    greediestFirst.addAll(byCaller.values());
    List<T> excess = new ArrayList<>();
    while (!allows(all.count, all.bytes) && !greediestFirst.isEmpty()) {
      Share<T> greediest = requireNonNull(greediestFirst.poll());
      Item<T> oldest = greediest.removable.poll();
      if (oldest != null) {
        excess.add(oldest.what());
        all.remove(oldest);
        greediest.remove(oldest);
        greediestFirst.add(greediest);
      } else if (ofGreediest) {
        break;
      }
    }
    return excess;
  }

  private double part(Share<?> share) {
    return Math.max(
        (double) share.count / Math.max(1, maxCount), (double) share.bytes / Math.max(1, maxBytes));
  }
}
