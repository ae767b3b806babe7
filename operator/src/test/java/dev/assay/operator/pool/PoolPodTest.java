package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.Samples;
import dev.assay.operator.egress.EgressCheck.Closed;
import dev.assay.operator.egress.EgressCheck.NotClosed;
import dev.assay.operator.egress.EgressCheck.Verdict;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.PoolPod.Checking;
import dev.assay.operator.pool.PoolPod.Claimed;
import dev.assay.operator.pool.PoolPod.Idle;
import dev.assay.operator.pool.PoolPod.Retiring;
import dev.assay.operator.runner.FakeRunner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What becomes of a Pod of a pool. */
class PoolPodTest {
  private static final Instant NOW = Instant.parse("2026-10-01T10:00:00Z");
  private static final Instant LATER = NOW.plusSeconds(1);
  private static final Verdict OPEN = new NotClosed(true, "open");
  private static final WarmPod POD =
      new WarmPod(
          new PoolTemplate(
              Samples.config().namespaces().getFirst(),
              Samples.runClass(Samples.classSpec(Purpose.Run)),
              Program.PYTHON,
              "k-1=abc",
              Optional.empty(),
              new WarmPodLimits(Duration.ofMinutes(10), Map.of())),
          Samples.runningPod(7333));

  private static final PoolPod NEW = Checking.first(NOW);
  private static final PoolPod IDLE = tested(NEW, new Closed(), NOW);

  /** What may happen to a Pod that was not given to a run and is not to be deleted. */
  private static final List<UnaryOperator<PoolPod>> CHECKS =
      List.of(
          pod -> pod.asked(LATER),
          PoolPod::missed,
          pod -> tested(pod, new Closed(), LATER),
          pod -> tested(pod, OPEN, LATER),
          PoolPod::dropped);

  @Test
  void aPodThatWasGivenToARunIsNeverIdleAgainAndNoOneRetiresIt() {
    for (PoolPod before : List.of(NEW, IDLE, IDLE.retiring())) {
      PoolPod claimed = before.claimed();
      assertThat(CHECKS).allSatisfy(check -> assertThat(check.apply(claimed)).isEqualTo(claimed));
      assertThat(claimed.retiring()).isEqualTo(claimed);
      assertThat(claimed.withRun()).isEqualTo(claimed);
    }
  }

  @Test
  void aPodThatIsToBeDeletedIsNeverIdleAgain() {
    for (PoolPod before : List.of(NEW, IDLE)) {
      PoolPod retiring = before.retiring();
      assertThat(CHECKS).allSatisfy(check -> assertThat(check.apply(retiring)).isEqualTo(retiring));
      assertThat(retiring.isDeletedAt(NOW)).isTrue();
      assertThat(retiring.attempted(LATER).retiring()).isEqualTo(new Retiring(LATER));
      assertThat(retiring.attempted(LATER).isDeletedAt(NOW)).isFalse();
    }
  }

  @Test
  void aPodThatWaitsForARunOrMayIsNotDeleted() {
    assertThat(List.of(NEW, IDLE)).noneMatch(pod -> pod.isDeletedAt(Instant.MAX));
    assertThat(List.of(NEW, IDLE))
        .allSatisfy(pod -> assertThat(pod.withoutRun(NOW).attempted(NOW)).isEqualTo(pod));
  }

  @Test
  void aPodThatPassesAgainKeepsItsPlace() {
    assertThat(tested(IDLE, new Closed(), LATER))
        .isInstanceOfSatisfying(
            Idle.class,
            idle -> {
              assertThat(idle.since()).isEqualTo(NOW);
              assertThat(idle.tested()).isEqualTo(LATER);
            });
  }

  @Test
  void aPodWhoseNetworkIsOpenIsWithheldUntilItWasFoundClosedThreeTimes() {
    for (PoolPod before : List.of(NEW, IDLE)) {
      PoolPod pod = tested(before, OPEN, LATER);
      for (int closed = 0; closed < 3; closed++) {
        assertThat(pod)
            .isInstanceOfSatisfying(
                Checking.class, withheld -> assertThat(withheld.withheldSince()).isEqualTo(LATER));
        pod = tested(pod, new Closed(), LATER.plusSeconds(closed));
      }
      assertThat(pod).isInstanceOf(Idle.class);
    }
  }

  @Test
  void onlyTheMissesOfAPodThatWasIdleCountAndOnlyThoseInARow() {
    assertThat(misses(NEW.missed().missed())).isZero();
    assertThat(misses(IDLE.missed())).isEqualTo(1);
    assertThat(misses(IDLE.missed().missed())).isEqualTo(2);
    assertThat(misses(tested(IDLE.missed(), new Closed(), LATER).missed())).isEqualTo(1);
    assertThat(misses(IDLE.dropped())).isZero();
  }

  @Test
  void theGraceOfAUsedPodBeginsWhenItHasNoRunAndAnewOnceItHadOne() {
    PoolPod used = NEW.claimed();
    assertThat(used.isDeletedAt(Instant.MAX)).as("it has one, as far as is known").isFalse();
    PoolPod alone = used.withoutRun(LATER);
    assertThat(alone.withoutRun(LATER.plusSeconds(9))).isEqualTo(alone);
    assertThat(alone.isDeletedAt(NOW)).isFalse();
    assertThat(alone.isDeletedAt(LATER)).isTrue();
    assertThat(alone.foundStarted(LATER).withRun()).isEqualTo(used);
  }

  @Test
  void onlyAUsedPodThatWasFoundStartedIsDeletedAtTheEndOfAnotherGrace() {
    PoolPod used = NEW.claimed();
    assertThat(used.attempted(NOW)).as("its grace has not begun").isEqualTo(used);
    assertThat(used.foundStarted(NOW)).isEqualTo(used);
    PoolPod alone = used.withoutRun(NOW);
    assertThat(alone.attempted(LATER)).isEqualTo(new Claimed(LATER, false));
    PoolPod started = alone.foundStarted(LATER);
    assertThat(started).isEqualTo(new Claimed(LATER, true));
    assertThat(started.attempted(NOW)).isEqualTo(new Claimed(NOW, true));
  }

  private static PoolPod tested(PoolPod pod, Verdict verdict, Instant began) {
    return pod.tested(new PoolPod.Test(POD, FakeRunner.idleHello(), verdict, began), began);
  }

  private static int misses(PoolPod pod) {
    return ((Checking) pod).misses();
  }
}
