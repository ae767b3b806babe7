package dev.assay.operator.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.assay.operator.ManualClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReconcileThreadsTest {
  private final ManualClock clock = new ManualClock();
  private final ReconcileThreads threads = new ReconcileThreads(clock);

  @Test
  void aReconcileThatDoesNotEndIsNamedWithWhereItIs() throws Exception {
    CompletableFuture<Thread> begun = new CompletableFuture<>();
    CountDownLatch end = new CountDownLatch(1);
    threads
        .executor()
        .submit(
            () -> {
              Thread.currentThread().setName("ReconcilerExecutor-dataset-7");
              begun.complete(Thread.currentThread());
              end.await();
              return null;
            });
    Thread thread = begun.get(20, TimeUnit.SECONDS);
    assertThat(threads.stuck()).isEmpty();
    clock.advance(Duration.ofMinutes(6));
    assertThat(threads.stuck())
        .singleElement()
        .asString()
        .contains("ReconcilerExecutor-dataset-7", "dev.assay.operator");
    end.countDown();
    // The task has ended before its thread has: the executor would not wait for it.
    assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
    assertThat(threads.stuck()).isEmpty();
  }

  /** A new leader reconciles thousands of runs: all at once, they took more than the heap. */
  @Test
  void aLimitedNumberRunsAtOnceAndTheOthersFollow() throws Exception {
    ReconcileThreads two = new ReconcileThreads(clock, 2);
    Semaphore begun = new Semaphore(0);
    Semaphore mayEnd = new Semaphore(0);
    for (int i = 0; i < 5; i++) {
      two.executor()
          .execute(
              () -> {
                begun.release();
                mayEnd.acquireUninterruptibly();
              });
    }
    assertThat(begun.tryAcquire(2, 20, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < 3; i++) {
      assertThat(begun.availablePermits()).as("two are running").isZero();
      mayEnd.release();
      assertThat(begun.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
    }
    mayEnd.release(2);
  }

  @Test
  void anActionRunsWhileNoReconcileDoesAndTheNextOnesFollow() throws Exception {
    Semaphore begun = new Semaphore(0);
    Semaphore mayEnd = new Semaphore(0);
    Runnable reconcile =
        () -> {
          begun.release();
          mayEnd.acquireUninterruptibly();
        };
    threads.executor().execute(reconcile);
    assertThat(begun.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
    assertThat(threads.whileNoneRuns(Duration.ofMillis(1), () -> fail("one runs"))).isFalse();

    mayEnd.release();
    CompletableFuture<?> next = new CompletableFuture<>();
    boolean wasRun =
        threads.whileNoneRuns(
            Duration.ofSeconds(20),
            () -> {
              threads
                  .executor()
                  .execute(
                      () -> {
                        reconcile.run();
                        next.complete(null);
                      });
              assertThat(begun.availablePermits()).isZero();
            });
    assertThat(wasRun).isTrue();
    mayEnd.release();
    next.get(20, TimeUnit.SECONDS);
  }
}
