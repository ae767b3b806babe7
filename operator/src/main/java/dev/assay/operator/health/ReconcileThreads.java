package dev.assay.operator.health;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Collectors;

/**
 * Runs each reconcile on a virtual thread, a limited number at once, and reports those that do not
 * end. A reconcile waits only for the API server, to send its requests and for their responses,
 * which both have timeouts, and blocks all later events of its object.
 */
public final class ReconcileThreads {
  private static final Duration MAX_RECONCILE = Duration.ofMinutes(5);

  /**
   * More than there are requests to the API server at once. Each takes tens of kilobytes for the
   * JSON that it reads and writes, and a new leader reconciles all runs, ended ones included.
   */
  private static final int MAX_AT_ONCE = 128;

  private static final String OURS = "dev.assay.";

  private final ExecutorService threads = Executors.newThreadPerTaskExecutor(this::thread);
  private final Map<Thread, Instant> running = new ConcurrentHashMap<>();
  private final Semaphore room;
  private final ReadWriteLock gate = new ReentrantReadWriteLock(true);
  private final Clock clock;

  public ReconcileThreads(Clock clock) {
    this(clock, MAX_AT_ONCE);
  }

  ReconcileThreads(Clock clock, int maxAtOnce) {
    this.clock = clock;
    this.room = new Semaphore(maxAtOnce, true);
  }

  /** What runs the reconciles. */
  public ExecutorService executor() {
    return threads;
  }

  private Thread thread(Runnable reconcile) {
    return Thread.ofVirtual().unstarted(() -> inTurn(reconcile));
  }

  private void inTurn(Runnable reconcile) {
    try {
      room.acquire();
    } catch (InterruptedException e) {
      return; // The operator is shutting down.
    }
    gate.readLock().lock();
    try {
      timed(reconcile);
    } finally {
      gate.readLock().unlock();
      room.release();
    }
  }

  /**
   * Runs an action while no reconcile does: the SDK forgets the end of one that ends while it is
   * told of other namespaces, and never reconciles that object again.
   *
   * @return false if reconciles did not end in time, and the action was not run
   */
  public boolean whileNoneRuns(Duration atMost, Runnable action) throws InterruptedException {
    if (!gate.writeLock().tryLock(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
      return false;
    }
    try {
      action.run();
      return true;
    } finally {
      gate.writeLock().unlock();
    }
  }

  private void timed(Runnable reconcile) {
    Thread thread = Thread.currentThread();
    running.put(thread, clock.instant());
    try {
      reconcile.run();
    } finally {
      running.remove(thread);
    }
  }

  /** The reconciles that take too long, each with its thread's name and current method. */
  public Set<String> stuck() {
    Instant latest = clock.instant().minus(MAX_RECONCILE);
    return running.entrySet().stream()
        .filter(entry -> entry.getValue().isBefore(latest))
        .map(Map.Entry::getKey)
        .map(thread -> "%s is stuck in %s".formatted(thread.getName(), where(thread)))
        .collect(Collectors.toSet());
  }

  private static String where(Thread thread) {
    List<StackTraceElement> frames = List.of(thread.getStackTrace());
    return frames.stream()
        .filter(frame -> frame.getClassName().startsWith(OURS))
        .findFirst()
        .or(() -> frames.stream().findFirst())
        .map(StackTraceElement::toString)
        .orElse("an unknown method");
  }
}
