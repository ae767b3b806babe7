package dev.assay.operator;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Virtual threads, and a way to wait until none of them has anything to do. */
public final class TrackedThreads extends AbstractExecutorService {
  private static final long PATIENCE_SECONDS = 20;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Phaser busy = new Phaser(1);

  @Override
  public void execute(Runnable task) {
    busy.register();
    threads.execute(
        () -> {
          try {
            task.run();
          } finally {
            busy.arriveAndDeregister();
          }
        });
  }

  /** Waits until every task has ended, those included that others have begun meanwhile. */
  public void awaitIdle() throws InterruptedException, TimeoutException {
    busy.awaitAdvanceInterruptibly(busy.arrive(), PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void shutdown() {
    threads.shutdown();
  }

  @Override
  public List<Runnable> shutdownNow() {
    return threads.shutdownNow();
  }

  @Override
  public boolean isShutdown() {
    return threads.isShutdown();
  }

  @Override
  public boolean isTerminated() {
    return threads.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return threads.awaitTermination(timeout, unit);
  }
}
