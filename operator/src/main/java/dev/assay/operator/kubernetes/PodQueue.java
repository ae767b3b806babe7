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
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What waits for room in the quota of a namespace, oldest first. Only the first in line asks the
 * API server for a Pod, less and less often, and at once when a Pod of the namespace ends. The
 * others ask for nothing. While nobody waits, everybody asks at once.
 */
public final class PodQueue {
  /** How often those behind the first look whether they have become the first; costs no request. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final Duration LAST_RETRY = Duration.ofSeconds(10);

  /** Who is next. Turns between callers belong here. */
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
   * A run or a dataset that waits.
   *
   * @param uid its UID
   * @param created when it was created
   * @param stillWaits whether it is still there, as far as caches tell
   * @param wake has it look at its turn again
   */
  public record Waiting(String uid, Instant created, BooleanSupplier stillWaits, Runnable wake) {}

  private record Entry(Waiting who, long arrival) {}

  /** Those that wait in one namespace. */
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

  /** Lines up, once in the life of this process, those that waited before it led. */
  public synchronized void rebuild(String namespace, Supplier<List<Waiting>> waiting) {
    if (rebuilt.add(namespace)) {
      for (Waiting who : waiting.get()) {
        Line unused = add(namespace, who);
      }
    }
  }

  /** Whether it is in line. */
  public synchronized boolean contains(String namespace, String uid) {
    Line line = lines.get(namespace);
    return line != null && line.find(uid) != null;
  }

  /**
   * Whether it may ask for its Pod now.
   *
   * @return empty where it may; otherwise it is in line, and this is when to look again
   */
  public synchronized Optional<Duration> turn(String namespace, Waiting who) {
    Line line = lines.get(namespace);
    if (line == null || line.first() == null) {
      return Optional.empty();
    }
    Line unused = add(namespace, who);
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
   * The quota had no room.
   *
   * @param refusal the API server's words
   * @return when to look again
   */
  public synchronized Duration refused(String namespace, Waiting who, String refusal) {
    Line line = add(namespace, who);
    line.refusal = refusal;
    Duration wait = line.retry;
    line.nextProbe = clock.instant().plus(wait);
    Duration doubled = wait.multipliedBy(2);
    line.retry = doubled.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : doubled;
    return wait;
  }

  /** How many are before it. */
  public synchronized int ahead(String namespace, String uid) {
    Line line = lines.get(namespace);
    Entry entry = line == null ? null : line.find(uid);
    return line == null || entry == null ? 0 : line.entries.headSet(entry).size();
  }

  /** What the API server said last; empty where it has not refused anything yet. */
  public synchronized String lastRefusal(String namespace) {
    Line line = lines.get(namespace);
    return line == null ? "" : line.refusal;
  }

  /** It has its Pod, or waits for none any more: the next one may ask. */
  public void leave(String namespace, String uid) {
    wake(afterLeaving(namespace, uid));
  }

  private synchronized @Nullable Entry afterLeaving(String namespace, String uid) {
    Line line = lines.get(namespace);
    Entry entry = line == null ? null : line.find(uid);
    if (line == null || entry == null) {
      return null;
    }
    boolean wasFirst = entry.equals(line.first());
    line.remove(entry);
    Entry next = line.first();
    if (next == null) {
      lines.remove(namespace);
      return null;
    }
    if (!wasFirst) {
      return null;
    }
    line.probeAtOnce();
    return next;
  }

  /** A Pod of the namespace has ended or is being deleted, so that there may be room. */
  public void roomMade(String namespace) {
    wake(afterRoomMade(namespace));
  }

  private synchronized @Nullable Entry afterRoomMade(String namespace) {
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

  private Line add(String namespace, Waiting who) {
    Line line = lines.computeIfAbsent(namespace, unused -> new Line());
    if (line.find(who.uid()) == null) {
      line.add(new Entry(who, arrivals++));
    }
    return line;
  }
}
