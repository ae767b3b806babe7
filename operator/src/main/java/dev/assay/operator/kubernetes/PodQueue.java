package dev.assay.operator.kubernetes;

import static java.util.Objects.requireNonNull;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The queue for room in the quota of a namespace, oldest first. Only the first in the queue
 * requests its Pod, with backoff, and at once when a Pod of the namespace ends. The others send no
 * requests. While the queue is empty, each Pod is requested at once. What needs more than the whole
 * quota waits in a queue of its own, and does not block what fits.
 */
public final class PodQueue {
  /** How often those behind the first check whether they are first now; sends no request. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final Duration LAST_RETRY = Duration.ofSeconds(10);

  /** The order of the queue. Fairness between callers would belong here. */
  private static final Comparator<Entry> ORDER =
      Comparator.comparing((Entry entry) -> entry.who().created())
          .thenComparingLong(Entry::arrival);

  private final Clock clock;
  private final Map<String, Line> lines = new HashMap<>();
  private final Set<String> rebuilt = new HashSet<>();
  private long arrivals;

  public PodQueue(Clock clock) {
    this.clock = clock;
  }

  /**
   * A waiting run or dataset.
   *
   * @param uid its UID
   * @param created when it was created
   * @param stillWaits whether it still exists, according to caches
   * @param wake triggers a new check of its turn
   */
  public record Waiting(String uid, Instant created, BooleanSupplier stillWaits, Runnable wake) {}

  private record Entry(Waiting who, long arrival) {}

  /** The queue of one namespace. */
  private static final class Line {
    private final TreeSet<Entry> entries = new TreeSet<>(ORDER);
    private final Map<String, Entry> byUid = new HashMap<>();
    private Duration retry = FIRST_RETRY;
    private Instant nextProbe = Instant.MIN;
    private String refusal = "";

    @Nullable Entry find(String uid) {
      return byUid.get(uid);
    }

    void add(Entry entry) {
      entries.add(entry);
      byUid.put(entry.who().uid(), entry);
    }

    void remove(Entry entry) {
      entries.remove(entry);
      byUid.remove(entry.who().uid());
    }

    @Nullable Entry first() {
      while (!entries.isEmpty() && !entries.first().who().stillWaits().getAsBoolean()) {
        remove(entries.first());
      }
      return entries.isEmpty() ? null : entries.first();
    }

    void probeAtOnce() {
      retry = FIRST_RETRY;
      nextProbe = Instant.MIN;
    }
  }

  /**
   * Restores the queue, once in the life of this process, from what waited before it became the
   * leader.
   */
  public synchronized void rebuild(String namespace, Supplier<List<Waiting>> waiting) {
    if (!rebuilt.add(namespace)) {
      return;
    }
    List<Waiting> found = waiting.get();
    if (!found.isEmpty()) {
      Line line = lines.computeIfAbsent(namespace, unused -> new Line());
      found.forEach(who -> add(line, who));
    }
  }

  /** Whether it is in the queue. */
  public synchronized boolean contains(String namespace, String uid) {
    return lineOf(namespace, uid) != null;
  }

  private @Nullable Line lineOf(String namespace, String uid) {
    for (String name : List.of(namespace, tooLarge(namespace))) {
      Line line = lines.get(name);
      if (line != null && line.find(uid) != null) {
        return line;
      }
    }
    return null;
  }

  /** The key of the queue for what needs more than the whole quota; not a valid namespace name. */
  private static String tooLarge(String namespace) {
    return namespace + "/too-large";
  }

  /**
   * Whether it may request its Pod now.
   *
   * @return empty if it may; otherwise it is in the queue, and this is when to check again
   */
  public synchronized Optional<Duration> turn(String namespace, Waiting who) {
    Line line = lineOf(namespace, who.uid());
    if (line == null) {
      line = lines.get(namespace);
      if (line == null || line.first() == null) {
        return Optional.empty();
      }
      add(line, who);
    }
    Entry first = line.first();
    if (first == null || !first.who().uid().equals(who.uid())) {
      return Optional.of(LOOK);
    }
    Duration left =
        line.nextProbe.equals(Instant.MIN)
            ? Duration.ZERO
            : Duration.between(clock.instant(), line.nextProbe);
    return left.isPositive() ? Optional.of(left) : Optional.empty();
  }

  /**
   * The quota was exceeded.
   *
   * @param refusal the API server's message
   * @return when to check again
   */
  public synchronized Duration refused(String namespace, Waiting who, String refusal) {
    String name = QuotaRefusal.neverFits(refusal) ? tooLarge(namespace) : namespace;
    Line line = lines.computeIfAbsent(name, unused -> new Line());
    if (line.find(who.uid()) == null) {
      // The next one in the queue that it leaves, if any, checks its turn by itself.
      Line before = lineOf(namespace, who.uid());
      if (before != null) {
        before.remove(requireNonNull(before.find(who.uid())));
        before.probeAtOnce();
      }
      add(line, who);
    }
    line.refusal = refusal;
    Duration wait = line.retry;
    line.nextProbe = clock.instant().plus(wait);
    Duration doubled = wait.multipliedBy(2);
    line.retry = doubled.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : doubled;
    return wait;
  }

  /** Whether it is the first in its line, or in none. */
  public synchronized boolean isFirst(String namespace, String uid) {
    Line line = lineOf(namespace, uid);
    Entry first = line == null ? null : line.first();
    return first == null || first.who().uid().equals(uid);
  }

  /** The API server's latest refusal for its queue; empty if there was none yet. */
  public synchronized String lastRefusal(String namespace, String uid) {
    Line line = lineOf(namespace, uid);
    return line == null ? "" : line.refusal;
  }

  /** It has its Pod, or does not wait any more: the next one may request its Pod. */
  public void leave(String namespace, String uid) {
    wake(afterLeaving(namespace, uid));
  }

  private synchronized @Nullable Entry afterLeaving(String namespace, String uid) {
    Line line = lineOf(namespace, uid);
    Entry entry = line == null ? null : line.find(uid);
    if (line == null || entry == null) {
      return null;
    }
    boolean wasFirst = entry.equals(line.first());
    line.remove(entry);
    Entry next = line.first();
    if (next == null) {
      lines.values().remove(line);
      return null;
    }
    if (!wasFirst) {
      return null;
    }
    line.probeAtOnce();
    return next;
  }

  /** A Pod of the namespace has terminated or is being deleted, so that there may be room. */
  public void roomFreed(String namespace) {
    wake(afterRoomFreed(namespace));
  }

  private synchronized @Nullable Entry afterRoomFreed(String namespace) {
    Line line = lines.get(namespace);
    if (line == null) {
      return null;
    }
    line.probeAtOnce();
    return line.first();
  }

  private static void wake(@Nullable Entry entry) {
    if (entry != null) {
      entry.who().wake().run();
    }
  }

  private void add(Line line, Waiting who) {
    if (line.find(who.uid()) == null) {
      line.add(new Entry(who, arrivals++));
    }
  }
}
