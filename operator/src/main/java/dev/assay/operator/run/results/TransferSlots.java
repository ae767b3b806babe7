package dev.assay.operator.run.results;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Bounds how many transfers there are at once. A slot goes to the namespace that has the fewest, no
 * namespace has more than its share, and the last ones go only to namespaces that have none: slow
 * Pods of a few do not hold up those of another.
 */
final class TransferSlots {
  private final int total;
  private final int share;
  private final int reserved;
  private final Map<String, Integer> taken = new HashMap<>();
  private final SequencedSet<Turn> waiting = new LinkedHashSet<>();

  /**
   * Slots, all of them free.
   *
   * @param total how many there are
   * @param share how many of them one namespace may have
   * @param reserved how many of them are for namespaces that have none
   */
  TransferSlots(int total, int share, int reserved) {
    this.total = total;
    this.share = share;
    this.reserved = reserved;
  }

  /** A transfer that needs a slot; compared by identity. */
  static final class Turn {
    private final String namespace;
    private final CompletableFuture<Void> come = new CompletableFuture<>();

    private Turn(String namespace) {
      this.namespace = namespace;
    }

    boolean hasCome() {
      return come.isDone();
    }
  }

  /** Waits for a slot, which has to be released. */
  void acquire(String namespace) throws InterruptedException {
    Turn turn = request(namespace);
    try {
      turn.come.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      withdraw(turn);
      throw e;
    }
  }

  /** Asks for a slot without waiting for it. */
  synchronized Turn request(String namespace) {
    Turn turn = new Turn(namespace);
    waiting.add(turn);
    giveOut();
    return turn;
  }

  /** Gives a slot back. */
  synchronized void release(String namespace) {
    taken.computeIfPresent(namespace, (name, count) -> count == 1 ? null : (Integer) (count - 1));
    giveOut();
  }

  private synchronized void withdraw(Turn turn) {
    if (!waiting.remove(turn)) {
      release(turn.namespace);
    }
  }

  private void giveOut() {
    for (Optional<Turn> next = next(); next.isPresent(); next = next()) {
      Turn turn = next.get();
      waiting.remove(turn);
      taken.merge(turn.namespace, 1, Integer::sum);
      turn.come.complete(null);
    }
  }

  /** The first of those whose namespace has the fewest. */
  private Optional<Turn> next() {
    int free = total - taken.values().stream().mapToInt(Integer::intValue).sum();
    if (free <= 0) {
      return Optional.empty();
    }
    int allowed = free > reserved ? share : 1;
    return waiting.stream()
        .filter(turn -> takenBy(turn) < allowed)
        .min(Comparator.comparingInt(this::takenBy));
  }

  private int takenBy(Turn turn) {
    return taken.getOrDefault(turn.namespace, 0);
  }
}
