package dev.assay.operator.kubernetes;

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
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The queue for room in the quota of a namespace: callers take turns, and within a caller the
 * oldest is first. Only the first in the queue requests its Pod, with backoff, and at once when a
 * Pod of the namespace ends. The others send no requests, even if a smaller Pod would fit:
 * otherwise a large one could wait forever. While the queue is empty, each Pod is requested at
 * once. What needs more than the whole quota waits in a queue of its own, and does not block what
 * fits.
 */
public final class PodQueue {
  /** How often those behind the first check whether they are first now; sends no request. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final Duration LAST_RETRY = Duration.ofSeconds(10);

  private final Clock clock;
  private final Map<String, Line> lines = new HashMap<>();
  private final Set<String> rebuilt = new HashSet<>();

  public PodQueue(Clock clock) {
    this.clock = clock;
  }

  /**
   * A waiting run or dataset.
   *
   * @param uid its UID
   * @param caller whose turn it takes
   * @param created its place in the order of creation
   * @param stillWaits whether it still exists, according to caches
   * @param wake triggers a new check of its turn
   */
  public record Waiting(
      String uid,
      String caller,
      CreationOrder created,
      BooleanSupplier stillWaits,
      Runnable wake) {}

  /** The queue of one namespace. */
  private static final class Line {
    private final TurnQueue waiting = new TurnQueue();
    private Duration retry = FIRST_RETRY;
    private Instant nextProbe = Instant.MIN;
    private String refusal = "";

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
      found.stream().sorted(Comparator.comparing(Waiting::created)).forEach(line.waiting::add);
    }
  }

  /** Whether it is in the queue. */
  public synchronized boolean contains(String namespace, String uid) {
    return lineOf(namespace, uid) != null;
  }

  /** Whether anything of a namespace waits that fits into its quota. */
  public synchronized boolean hasWaiting(String namespace) {
    Line line = lines.get(namespace);
    return line != null && line.waiting.first() != null;
  }

  private @Nullable Line lineOf(String namespace, String uid) {
    for (String name : List.of(namespace, tooLarge(namespace))) {
      Line line = lines.get(name);
      if (line != null && line.waiting.contains(uid)) {
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
      if (line == null || line.waiting.first() == null) {
        return Optional.empty();
      }
      line.waiting.add(who);
    }
    Waiting first = line.waiting.first();
    if (first == null || !first.uid().equals(who.uid())) {
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
    if (!line.waiting.contains(who.uid())) {
      // The next one in the queue that it leaves, if any, checks its turn by itself.
      Line before = lineOf(namespace, who.uid());
      if (before != null) {
        before.waiting.remove(who.uid());
        before.probeAtOnce();
      }
      line.waiting.add(who);
    }
    line.refusal = refusal;
    Duration wait = line.retry;
    line.nextProbe = clock.instant().plus(wait);
    Duration doubled = wait.multipliedBy(2);
    line.retry = doubled.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : doubled;
    return wait;
  }

  /** Whether it is the first in its queue, or in none. */
  public synchronized boolean isFirst(String namespace, String uid) {
    Line line = lineOf(namespace, uid);
    Waiting first = line == null ? null : line.waiting.first();
    return first == null || first.uid().equals(uid);
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

  private synchronized @Nullable Waiting afterLeaving(String namespace, String uid) {
    Line line = lineOf(namespace, uid);
    if (line == null) {
      return null;
    }
    // The caches may know already that it does not wait any more.
    boolean wasFirst = line.waiting.hasTurn(uid);
    line.waiting.remove(uid);
    Waiting next = line.waiting.first();
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

  private synchronized @Nullable Waiting afterRoomFreed(String namespace) {
    Line line = lines.get(namespace);
    if (line == null) {
      return null;
    }
    line.probeAtOnce();
    return line.waiting.first();
  }

  private static void wake(@Nullable Waiting waiting) {
    if (waiting != null) {
      waiting.wake().run();
    }
  }
}
