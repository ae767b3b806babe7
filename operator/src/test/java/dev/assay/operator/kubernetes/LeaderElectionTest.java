package dev.assay.operator.kubernetes;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.operator.FakeApiServer;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaderElectionTest {
  private static final String LEASES = "/leases/assay-operator";

  /** The Lease outlasts a test on a slow machine. */
  private static final LeaderElection.Times TIMES =
      new LeaderElection.Times(Duration.ofMinutes(2), Duration.ofMinutes(1), Duration.ofMillis(20));

  private final FakeApiServer api = new FakeApiServer();
  private final CountDownLatch elected = new CountDownLatch(1);
  private final CountDownLatch lost = new CountDownLatch(1);
  private final AtomicInteger calls = new AtomicInteger();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void aLeaseThatNobodyHasIsTakenAndRenewed() throws Exception {
    try (LeaderElection election = election(elected::countDown)) {
      election.start();
      await(elected);
      assertThat(holder()).isEqualTo("operator-1");
      api.await("PATCH", LEASES, LeaderElectionTest::renews);
    }
    assertThat(holder()).as("after it was closed").isEqualTo("operator-1");
    assertThat(lost.getCount()).as("whoever closes it knows").isEqualTo(1);
  }

  @Test
  void aReplicaWaitsAsLongAsAnotherHoldsTheLease() throws Exception {
    api.put(lease("operator-2"));
    try (LeaderElection election = election(elected::countDown)) {
      election.start();
      for (int look = 0; look < 5; look++) {
        awaitLook();
      }
      assertThat(elected.getCount()).isEqualTo(1);
      api.put(lease(""));
      await(elected);
      assertThat(holder()).isEqualTo("operator-1");
    }
  }

  @Test
  void theLeaseIsRenewedWhileTheReplicaTakesUpWhatALeaderDoes() throws Exception {
    CountDownLatch renewed = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    try (LeaderElection election =
        election(
            () -> {
              elected.countDown();
              if (awaits(renewed)) {
                done.countDown();
              }
            })) {
      election.start();
      await(elected);
      api.await("PATCH", LEASES, LeaderElectionTest::renews);
      renewed.countDown();
      await(done);
    }
  }

  @Test
  void aLeaderIsToldOnceThatAnotherHasItsLease() throws Exception {
    try (LeaderElection election = election(elected::countDown)) {
      election.start();
      await(elected);
      api.put(lease("operator-2"));
      await(lost);
    }
    assertThat(calls).hasValue(1);
  }

  /** As the process does that ends when its Lease is lost. */
  @Test
  void anElectionCanBeClosedByWhatItCalls() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    LeaderElection[] itself = new LeaderElection[1];
    itself[0] =
        new LeaderElection(
            api.client(),
            new LeaseLock("assay-system", "assay-operator", "operator-1"),
            TIMES,
            elected::countDown,
            () -> {
              itself[0].close();
              closed.countDown();
            });
    itself[0].start();
    await(elected);
    api.put(lease("operator-2"));
    await(closed);
  }

  @Test
  void aRenewalThatHangsDoesNotHoldUpTheEnd() throws Exception {
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    LeaderElection election = election(elected::countDown);
    election.start();
    await(elected);
    api.intercept(
        request -> {
          if (request.is("GET", LEASES)) {
            hangs.countDown();
            closed.await();
          }
          return Optional.empty();
        });
    await(hangs);
    election.close();
    closed.countDown();
    assertThat(lost.getCount()).isEqualTo(1);
  }

  private LeaderElection election(Runnable onElected) {
    return new LeaderElection(
        api.client(),
        new LeaseLock("assay-system", "assay-operator", "operator-1"),
        TIMES,
        onElected,
        () -> {
          calls.incrementAndGet();
          lost.countDown();
        });
  }

  private void awaitLook() throws InterruptedException {
    CountDownLatch looked = new CountDownLatch(1);
    api.intercept(
        request -> {
          if (request.is("GET", LEASES)) {
            looked.countDown();
          }
          return Optional.empty();
        });
    await(looked);
  }

  private static boolean renews(JsonNode patch) {
    return patch.path("spec").has("renewTime");
  }

  private String holder() {
    return requireNonNull(api.read(lease("")).getSpec().getHolderIdentity());
  }

  private static Lease lease(String holder) {
    ZonedDateTime now = ZonedDateTime.now();
    return new LeaseBuilder()
        .withNewMetadata()
        .withNamespace("assay-system")
        .withName("assay-operator")
        .endMetadata()
        .withNewSpec()
        .withHolderIdentity(holder)
        .withLeaseDurationSeconds(120)
        .withAcquireTime(now)
        .withRenewTime(now)
        .withLeaseTransitions(1)
        .endSpec()
        .build();
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
  }

  private static boolean awaits(CountDownLatch latch) {
    try {
      return latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }
}
