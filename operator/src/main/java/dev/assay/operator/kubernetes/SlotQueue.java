package dev.assay.operator.kubernetes;

import dev.assay.operator.kubernetes.PodQueue.Waiting;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many runs of a class in a namespace do something at a time. Each has a slot; where
 * none is free, callers take turns, and within a caller the oldest is first. A slot that was given
 * is held until it is left, or until its run is gone. What else holds one is looked up in the
 * caches each time, so that a new leader counts what an earlier one has started.
 */
public final class SlotQueue {
  private final Map<Slots, Line> lines = new HashMap<>();
  private final Set<Slots> restored = new HashSet<>();

  /**
   * The slots of a class in a namespace.
   *
   * @param caller whose runs share them; absent if those of all callers do
   */
  public record Slots(String namespace, String className, @Nullable String caller) {
    /** Slots that all callers share. */
    public static Slots ofClass(String namespace, String className) {
      return new Slots(namespace, className, null);
    }
  }

  /**
   * What the caches say of the slots of a class.
   *
   * @param limit how many there are now
   * @param holders the UIDs of the runs that hold one
   */
  public record Use(int limit, Set<String> holders) {}

  private static final class Line {
    private final TurnQueue waiting = new TurnQueue();
    private final Map<String, Waiting> holding = new HashMap<>();

    /** The UIDs of those that held one by the caches when a slot was last looked for. */
    private Set<String> started = Set.of();

    /** How many hold a slot, but for one. */
    private int holders(Set<String> startedNow, Waiting who) {
      started = Set.copyOf(startedNow);
      boolean unused = dropGone();
      Set<String> all = new HashSet<>(startedNow);
      all.addAll(holding.keySet());
      all.remove(who.uid());
      return all.size();
    }

    private boolean holds(String uid) {
      return holding.containsKey(uid) || started.contains(uid);
    }

    private boolean dropGone() {
      return holding.values().removeIf(who -> !who.stillWaits().getAsBoolean());
    }

    private boolean isEmpty() {
      return holding.isEmpty() && waiting.first() == null;
    }
  }

  /**
   * Restores a queue, once in the life of this process, from what waited before it became the
   * leader.
   */
  public synchronized void restore(Slots slots, Supplier<List<Waiting>> waiting) {
    if (restored.add(slots)) {
      List<Waiting> found = waiting.get();
      if (!found.isEmpty()) {
        Line line = lines.computeIfAbsent(slots, unused -> new Line());
        found.stream().sorted(Comparator.comparing(Waiting::created)).forEach(line.waiting::add);
      }
    }
  }

  /** Whether it waits for a slot. */
  public synchronized boolean isWaiting(String uid) {
    return lines.values().stream().anyMatch(line -> line.waiting.contains(uid));
  }

  /** Whether it waits for a slot, and it is its turn. */
  public synchronized boolean isFirst(String uid) {
    return lines.values().stream().anyMatch(line -> line.waiting.hasTurn(uid));
  }

  /**
   * Takes a slot, or waits for one.
   *
   * @param use what the caches say, if it is its turn
   * @return whether it has one; otherwise it is woken when it may be its turn
   */
  public boolean take(Slots slots, Waiting who, Supplier<Use> use) {
    Taken taken = tryToTake(slots, who, use);
    wake(taken.next());
    return taken.hasSlot();
  }

  /**
   * The result of an attempt to take a slot.
   *
   * @param next the one that can have a slot, too
   */
  private record Taken(boolean hasSlot, @Nullable Waiting next) {}

  private synchronized Taken tryToTake(Slots slots, Waiting who, Supplier<Use> use) {
    Line line = lines.computeIfAbsent(slots, unused -> new Line());
    if (line.holding.containsKey(who.uid())) {
      return new Taken(true, null);
    }
    line.waiting.add(who);
    Waiting first = line.waiting.first();
    if (first == null || !first.uid().equals(who.uid())) {
      return new Taken(false, null);
    }
    Use now = use.get();
    int free = now.limit() - line.holders(now.holders(), who);
    if (free <= 0) {
      return new Taken(false, null);
    }
    line.waiting.remove(who.uid());
    line.holding.put(who.uid(), who);
    return new Taken(true, free > 1 ? line.waiting.first() : null);
  }

  /**
   * It waits for nothing any more, as one that an earlier leader gave its Pod after the queue was
   * restored. It keeps a slot that it has.
   */
  public void stopWaiting(String uid) {
    if (isWaiting(uid)) {
      leave(uid);
    }
  }

  /** It needs no slot any more: the next one may have it. */
  public void leave(String uid) {
    lineOf(uid).forEach(line -> wake(afterLeaving(line, uid)));
  }

  private synchronized List<Line> lineOf(String uid) {
    return lines.values().stream()
        .filter(line -> line.holds(uid) || line.waiting.contains(uid))
        .toList();
  }

  private synchronized @Nullable Waiting afterLeaving(Line line, String uid) {
    boolean mayMakeRoom = line.holds(uid) || line.waiting.hasTurn(uid);
    line.holding.remove(uid);
    line.waiting.remove(uid);
    Waiting next = line.waiting.first();
    if (line.isEmpty()) {
      lines.values().remove(line);
    }
    return mayMakeRoom ? next : null;
  }

  /**
   * A Pod of the namespace has ended or is being deleted, perhaps because its run was deleted:
   * where one that held a slot is gone, the next one looks.
   */
  public void podEnded(String namespace) {
    afterPodEnded(namespace).forEach(SlotQueue::wake);
  }

  private synchronized List<Waiting> afterPodEnded(String namespace) {
    return lines.entrySet().stream()
        .filter(entry -> entry.getKey().namespace().equals(namespace))
        .map(Map.Entry::getValue)
        .filter(Line::dropGone)
        .flatMap(line -> Stream.ofNullable(line.waiting.first()))
        .toList();
  }

  /** The caches may say of any class of a namespace that fewer hold a slot: the next ones look. */
  public void roomFreed(String namespace) {
    firstOf(namespace).forEach(SlotQueue::wake);
  }

  private synchronized List<Waiting> firstOf(String namespace) {
    return lines.entrySet().stream()
        .filter(entry -> entry.getKey().namespace().equals(namespace))
        .flatMap(entry -> Stream.ofNullable(entry.getValue().waiting.first()))
        .toList();
  }

  private static void wake(@Nullable Waiting waiting) {
    if (waiting != null) {
      waiting.wake().run();
    }
  }
}
