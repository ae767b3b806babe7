package dev.assay.operator;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Virtual threads that a test can wait for. */
public final class TrackedThreads {
  private static final long PATIENCE_SECONDS = 20;

  private final ExecutorService threads = Executors.newThreadPerTaskExecutor(this::thread);
  private final Phaser busy = new Phaser(1);

  /** What runs the tasks. */
  public ExecutorService executor() {
    return threads;
  }

  private Thread thread(Runnable task) {
    busy.register();
    return Thread.ofVirtual()
        .unstarted(
            () -> {
              try {
                task.run();
              } finally {
                busy.arriveAndDeregister();
              }
            });
  }

  /** Waits until every task has ended, including those that were started meanwhile. */
  public void awaitIdle() throws InterruptedException, TimeoutException {
    busy.awaitAdvanceInterruptibly(busy.arrive(), PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
