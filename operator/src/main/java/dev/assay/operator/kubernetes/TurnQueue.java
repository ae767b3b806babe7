package dev.assay.operator.kubernetes;

import static java.util.Objects.requireNonNull;

import dev.assay.operator.kubernetes.PodQueue.Waiting;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A queue in which callers take turns, as in round-robin scheduling; within a caller the oldest is
 * first. A caller that had its turn, or is new, goes to the end. So at most one entry of each other
 * caller is ahead of a caller's first. Not thread-safe.
 */
public final class TurnQueue {
  private static final Comparator<Entry> OLDEST_FIRST =
      Comparator.comparing((Entry entry) -> entry.who().created())
          .thenComparingLong(Entry::arrival);

  /** The entries of each caller; the callers in the order of their turns. None is empty. */
  private final LinkedHashMap<String, SortedSet<Entry>> callers = new LinkedHashMap<>();

  private final Map<String, Entry> byUid = new HashMap<>();
  private long arrivals;

  private record Entry(Waiting who, long arrival) {}

  /** Whether an entry is in the queue, whether or not it still waits. */
  public boolean contains(String uid) {
    return byUid.containsKey(uid);
  }

  /** How many entries still wait. */
  public int count() {
    return Math.toIntExact(
        byUid.values().stream().filter(entry -> stillWaits(entry.who())).count());
  }

  /**
   * The number of entries that still wait and have their turns before one, or would if it were
   * added now.
   */
  public int countBefore(Waiting one) {
    // While it is in the queue, a new caller has its place at the end.
    boolean isNew = !contains(one.uid());
    add(one);
    int before = countBefore(one.uid());
    if (isNew) {
      remove(one.uid(), false);
    }
    return before;
  }

  private int countBefore(String uid) {
    return Math.toIntExact(
        inTurn().stream()
            .takeWhile(who -> !who.uid().equals(uid))
            .filter(TurnQueue::stillWaits)
            .count());
  }

  /** The entries that still wait and have their turns first. */
  public List<Waiting> first(int max) {
    if (max == 0) {
      return List.of();
    }
    return inTurn().stream().filter(TurnQueue::stillWaits).limit(max).toList();
  }

  /** All entries: the oldest of each caller, then the second of each, and so on. */
  private List<Waiting> inTurn() {
    List<Waiting> all = new ArrayList<>(byUid.size());
    List<Iterator<Entry>> left = new ArrayList<>();
    callers.values().forEach(entries -> left.add(entries.iterator()));
    while (!left.isEmpty()) {
      for (Iterator<Entry> entries : left) {
        all.add(entries.next().who());
      }
      left.removeIf(entries -> !entries.hasNext());
    }
    return all;
  }

  private static boolean stillWaits(Waiting who) {
    return who.stillWaits().getAsBoolean();
  }

  /** Whether it is its turn, whether or not it still waits. */
  boolean hasTurn(String uid) {
    Map.Entry<String, SortedSet<Entry>> turn = callers.firstEntry();
    return turn != null && turn.getValue().first().who().uid().equals(uid);
  }

  /** Adds an entry unless it is in the queue. */
  public void add(Waiting who) {
    if (!contains(who.uid())) {
      Entry entry = new Entry(who, arrivals++);
      byUid.put(who.uid(), entry);
      callers.computeIfAbsent(who.caller(), unused -> new TreeSet<>(OLDEST_FIRST)).add(entry);
    }
  }

  /** Removes an entry; if it was the first, its caller had its turn. */
  public void remove(String uid) {
    remove(uid, hasTurn(uid));
  }

  /** Removes an entry that got what it waited for, so that its caller had its turn. */
  public void removeServed(String uid) {
    remove(uid, true);
  }

  private void remove(String uid, boolean hadTurn) {
    Entry entry = byUid.remove(uid);
    if (entry == null) {
      return;
    }
    String caller = entry.who().caller();
    SortedSet<Entry> entries = requireNonNull(callers.get(caller));
    entries.remove(entry);
    endTurn(caller, entries, hadTurn);
  }

  /** The entry whose turn it is; those that do not wait any more are removed. */
  public @Nullable Waiting first() {
    while (!callers.isEmpty()) {
      Map.Entry<String, SortedSet<Entry>> turn = callers.firstEntry();
      Waiting who = turn.getValue().first().who();
      if (stillWaits(who)) {
        return who;
      }
      turn.getValue().removeIf(this::isGone);
      endTurn(turn.getKey(), turn.getValue(), true);
    }
    return null;
  }

  private boolean isGone(Entry entry) {
    boolean gone = !stillWaits(entry.who());
    if (gone) {
      byUid.remove(entry.who().uid());
    }
    return gone;
  }

  private void endTurn(String caller, SortedSet<Entry> left, boolean hadTurn) {
    if (left.isEmpty()) {
      callers.remove(caller);
    } else if (hadTurn) {
      callers.putLast(caller, left);
    }
  }
}
