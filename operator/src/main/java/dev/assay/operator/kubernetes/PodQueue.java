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
 * What waits for room in the quota of a namespace, oldest first. Only the first in line asks the
 * API server for a Pod, less and less often, and at once when a Pod of the namespace ends. The
 * others ask for nothing. While nobody waits, everybody asks at once. What takes more than a whole
 * quota waits in a line of its own, and holds up nobody who fits.
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
    if (!rebuilt.add(namespace)) {
      return;
    }
    List<Waiting> found = waiting.get();
    if (!found.isEmpty()) {
      Line line = lines.computeIfAbsent(namespace, unused -> new Line());
      found.forEach(who -> add(line, who));
    }
  }

  /** Whether it is in line. */
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

  /** The name of the line of those that take more than the whole quota; no namespace has it. */
  private static String tooLarge(String namespace) {
    return namespace + "/too-large";
  }

  /**
   * Whether it may ask for its Pod now.
   *
   * @return empty where it may; otherwise it is in line, and this is when to look again
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
   * The quota had no room.
   *
   * @param refusal the API server's words
   * @return when to look again
   */
  public synchronized Duration refused(String namespace, Waiting who, String refusal) {
    String name = QuotaRefusal.neverFits(refusal) ? tooLarge(namespace) : namespace;
    Line line = lines.computeIfAbsent(name, unused -> new Line());
    if (line.find(who.uid()) == null) {
      // The next one in the line that it leaves, if any, looks at its turn by itself.
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

  /** How many are before it. */
  public synchronized int ahead(String namespace, String uid) {
    Line line = lineOf(namespace, uid);
    Entry entry = line == null ? null : line.find(uid);
    return line == null || entry == null ? 0 : line.entries.headSet(entry).size();
  }

  /** What the API server said last of its line; empty where it has not refused anything yet. */
  public synchronized String lastRefusal(String namespace, String uid) {
    Line line = lineOf(namespace, uid);
    return line == null ? "" : line.refusal;
  }

  /** It has its Pod, or waits for none any more: the next one may ask. */
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

  private void add(Line line, Waiting who) {
    if (line.find(who.uid()) == null) {
      line.add(new Entry(who, arrivals++));
    }
  }
}
