package dev.assay.operator.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import dev.assay.operator.pod.EgressAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EgressControlTest {
  private static final EgressAddress ADDRESS = new EgressAddress("192.0.2.1", 8787);

  private final ManualClock clock = new ManualClock();
  private final List<EgressAddress> dialed = new ArrayList<>();
  private @Nullable String failure;
  private final EgressControl control = new EgressControl(this::dial, clock);

  private void dial(EgressAddress address) throws IOException {
    dialed.add(address);
    if (failure != null) {
      throw new IOException(failure);
    }
  }

  @Test
  void theControlBeforeMayBeSomeSecondsOldAndTheOneAfterIsNew() {
    assertThat(control.recentFailure(ADDRESS)).isEmpty();
    clock.advance(Duration.ofSeconds(5));
    assertThat(control.recentFailure(ADDRESS)).isEmpty();
    assertThat(dialed).hasSize(1);
    assertThat(control.failure(ADDRESS)).isEmpty();
    assertThat(dialed).hasSize(2);
    clock.advance(Duration.ofSeconds(6));
    assertThat(control.recentFailure(ADDRESS)).isEmpty();
    assertThat(dialed).hasSize(3);
  }

  @Test
  void aFailureIsNotRemembered() {
    failure = "Connection refused";
    assertThat(control.recentFailure(ADDRESS)).contains("Connection refused");
    failure = null;
    assertThat(control.recentFailure(ADDRESS)).isEmpty();
  }

  @Test
  void anotherAddressIsDialedForItself() {
    EgressAddress other = new EgressAddress("192.0.2.2", 8787);
    assertThat(control.recentFailure(ADDRESS)).isEmpty();
    assertThat(control.recentFailure(other)).isEmpty();
    assertThat(dialed).containsExactly(ADDRESS, other);
  }

  @Test
  void callersAtTheSameTimeShareTheNextAttemptAndNotTheOneThatHadBegunBefore() throws Exception {
    CountDownLatch firstBegan = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger attempts = new AtomicInteger();
    EgressControl slow =
        new EgressControl(
            address -> {
              if (attempts.incrementAndGet() == 1) {
                firstBegan.countDown();
                await(goOn);
              }
            },
            clock);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Optional<String>> first = threads.submit(() -> slow.failure(ADDRESS));
      await(firstBegan);
      List<Thread> waiting = new ArrayList<>();
      for (int caller = 0; caller < 3; caller++) {
        waiting.add(Thread.ofPlatform().start(() -> slow.failure(ADDRESS)));
      }
      for (Thread caller : waiting) {
        while (caller.getState() != Thread.State.WAITING) {
          Thread.onSpinWait();
        }
      }
      goOn.countDown();
      assertThat(first.get(20, TimeUnit.SECONDS)).isEmpty();
      for (Thread caller : waiting) {
        assertThat(caller.join(Duration.ofSeconds(20))).isTrue();
      }
    }
    assertThat(attempts).hasValue(2);
  }

  @Test
  void anAddressThatDoesNotAnswerDelaysNoOther() throws Exception {
    EgressAddress silent = new EgressAddress("192.0.2.2", 8787);
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    EgressControl waiting =
        new EgressControl(
            address -> {
              if (address.equals(silent)) {
                began.countDown();
                await(goOn);
              }
            },
            clock);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Optional<String>> slow = threads.submit(() -> waiting.failure(silent));
      await(began);
      assertThat(threads.submit(() -> waiting.failure(ADDRESS)).get(20, TimeUnit.SECONDS))
          .isEmpty();
      assertThat(slow.isDone()).isFalse();
      goOn.countDown();
      assertThat(slow.get(20, TimeUnit.SECONDS)).isEmpty();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
