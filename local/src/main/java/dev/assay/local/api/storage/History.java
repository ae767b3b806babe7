package dev.assay.local.api.storage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The latest changes of one resource, oldest first. Bounded by number and by the bytes of the
 * objects: what is older is forgotten, and whoever has not read it has to list again.
 */
final class History {
  private final int maxChanges;
  private final long maxBytes;
  private final Deque<Entry> entries = new ArrayDeque<>();
  private long bytes;
  private long forgottenThrough;

  private record Entry(Change change, long bytes) {}

  History(long begin, int maxChanges, long maxBytes) {
    this.forgottenThrough = begin;
    this.maxChanges = maxChanges;
    this.maxBytes = maxBytes;
  }

  void add(Change change, long size) {
    entries.addLast(new Entry(change, size));
    bytes += size;
    while (entries.size() > maxChanges || (bytes > maxBytes && entries.size() > 1)) {
      Entry oldest = entries.removeFirst();
      bytes -= oldest.bytes;
      forgottenThrough = oldest.change.revision();
    }
  }

  /** What came after a revision; empty where some of it is forgotten. */
  Optional<List<Change>> after(long revision) {
    if (revision < forgottenThrough) {
      return Optional.empty();
    }
    List<Change> changes = new ArrayList<>();
    for (var newest = entries.descendingIterator(); newest.hasNext(); ) {
      Change change = newest.next().change;
      if (change.revision() <= revision) {
        break;
      }
      changes.add(change);
    }
    return Optional.of(changes.reversed());
  }

  /** About what an object takes. */
  static long sizeOf(ObjectNode object) {
    return object.toString().length();
  }
}
