package dev.assay.operator;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An executor whose tasks are started manually. */
public final class ManualThreads extends AbstractExecutorService {
  private static final long PATIENCE_SECONDS = 20;

  private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

  @Override
  public void execute(Runnable task) {
    waiting.add(task);
  }

  /** The number of tasks that have not started. */
  public int waiting() {
    return waiting.size();
  }

  /** Runs the waiting tasks in order, on the caller's thread. */
  public void runAll() {
    for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
      next.run();
    }
  }

  /** Waits for a task and runs it on the caller's thread. */
  public void runNext() throws InterruptedException {
    Runnable next = waiting.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("No task came");
    }
    next.run();
  }

  @Override
  public void shutdown() {
    waiting.clear();
  }

  @Override
  public List<Runnable> shutdownNow() {
    List<Runnable> left = List.copyOf(waiting);
    waiting.clear();
    return left;
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return waiting.isEmpty();
  }
}
