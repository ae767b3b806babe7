package dev.assay.operator.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReconcileThreadsTest {
  private final ManualClock clock = new ManualClock();
  private final ReconcileThreads threads = new ReconcileThreads(clock);

  @Test
  void aReconcileThatDoesNotEndIsNamedWithWhereItIs() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Future<?> reconcile =
        threads
            .executor()
            .submit(
                () -> {
                  Thread.currentThread().setName("ReconcilerExecutor-dataset-7");
                  begun.countDown();
                  end.await();
                  return null;
                });
    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(threads.stuck()).isEmpty();
    clock.advance(Duration.ofMinutes(6));
    assertThat(threads.stuck())
        .singleElement()
        .asString()
        .contains("ReconcilerExecutor-dataset-7", "dev.assay.operator");
    end.countDown();
    reconcile.get(20, TimeUnit.SECONDS);
    threads.executor().close();
    assertThat(threads.stuck()).isEmpty();
  }
}
