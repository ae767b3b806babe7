package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClassSpec.WarmPoolLimits;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.PoolPlanner.MemoryLimits;
import dev.assay.operator.pool.PoolPlanner.Need;
import dev.assay.operator.pool.PoolPlanner.Plan;
import dev.assay.operator.pool.PoolPlanner.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolPlannerTest {
  private static final int MAX = 4;
  private static final Instant NOW = Instant.parse("2026-10-01T10:00:00Z");
  private static final Duration START = Duration.ofSeconds(2);
  private static final WarmPoolLimits TO_ZERO = new WarmPoolLimits(0, 10, Duration.ofMinutes(5));

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 0",
    "2, 0, 0, 2",
    "2, 1, 0, 1",
    "2, 1, 1, 0",
    "2, 0, 1, 1",
    "2, 0, 2, 0",
    "2, 3, 0, 0",
    "1, 0, 2, 0"
  })
  void whatIsMissingIsCreatedAndWhatStartsIsNotMissing(
      int wanted, int idle, int starting, int created) {
    assertThat(PoolPlanner.plan(new Target(wanted, 9), idle, starting, MAX).create())
        .isEqualTo(created);
  }

  @Test
  void asManyAgingPodsGoAsOthersStandInForThem() {
    Target target = new Target(3, 9);
    assertThat(PoolPlanner.succeeded(target, 0, 3)).isZero();
    assertThat(PoolPlanner.succeeded(target, 1, 3)).isEqualTo(1);
    assertThat(PoolPlanner.succeeded(target, 3, 3)).isEqualTo(3);
    assertThat(PoolPlanner.succeeded(target, 9, 2)).isEqualTo(2);
    assertThat(PoolPlanner.succeeded(target, 0, 0)).isZero();
    assertThat(PoolPlanner.succeeded(Target.NONE, 0, 2)).isEqualTo(2);
  }

  @Test
  void fewStartAtOnce() {
    Target many = new Target(100, 100);
    assertThat(PoolPlanner.plan(many, 0, 0, MAX).create()).isEqualTo(MAX);
    assertThat(PoolPlanner.plan(many, 0, MAX, MAX).create()).isZero();
    assertThat(PoolPlanner.plan(many, 0, MAX - 1, MAX).create()).isEqualTo(1);
  }

  @Test
  void aPoolThatMayStartAllThatIsMissingIsNotLimited() {
    assertThat(PoolPlanner.plan(new Target(MAX, 9), 0, 0, MAX).isLimited()).isFalse();
    assertThat(PoolPlanner.plan(new Target(MAX + 1, 9), 0, 0, MAX).isLimited()).isTrue();
    assertThat(PoolPlanner.plan(new Target(MAX + 1, 9), 0, MAX, MAX).isLimited()).isTrue();
    assertThat(PoolPlanner.plan(new Target(MAX, 9), 0, MAX + 1, MAX).isLimited()).isFalse();
  }

  @Test
  void onlyWhatIsAboveTheUpperTargetIsRetired() {
    Target target = new Target(1, 3);
    assertThat(PoolPlanner.plan(target, 3, 1, MAX)).isEqualTo(new Plan(0, 0, 1, false));
    assertThat(PoolPlanner.plan(target, 5, 1, MAX)).isEqualTo(new Plan(0, 2, 1, false));
    assertThat(PoolPlanner.plan(Target.NONE, 3, 0, MAX)).isEqualTo(new Plan(0, 3, 0, false));
  }

  @Test
  void startsBeyondTheUpperTargetAreCancelled() {
    assertThat(PoolPlanner.plan(Target.NONE, 0, 3, MAX).cancel()).isEqualTo(3);
    assertThat(PoolPlanner.plan(new Target(1, 2), 2, 3, MAX).cancel()).isEqualTo(3);
    assertThat(PoolPlanner.plan(new Target(1, 2), 1, 1, MAX).cancel()).isZero();
  }

  @Test
  void aPoolWithoutCallsHasItsMinimum() {
    assertThat(target(TO_ZERO, Arrivals.NONE, NOW)).isEqualTo(Target.NONE);
    assertThat(target(new WarmPoolLimits(2, 9, Duration.ofMinutes(5)), Arrivals.NONE, NOW))
        .isEqualTo(new Target(2, 2));
  }

  @Test
  void aPoolOfFixedSizeHasItAtAnyTime() {
    WarmPoolLimits fixed = new WarmPoolLimits(2, 2, Duration.ofMinutes(5));
    assertThat(target(fixed, burst(50), NOW)).isEqualTo(new Target(2, 2));
    assertThat(target(fixed, Arrivals.NONE, NOW)).isEqualTo(new Target(2, 2));
  }

  @Test
  void afterACallAPoolHasAPodUntilItHasBeenWithoutOneForLong() {
    Arrivals one = burst(1);
    assertThat(target(TO_ZERO, one, NOW)).isEqualTo(new Target(1, 2));
    assertThat(target(TO_ZERO, one, NOW.plusSeconds(299))).isEqualTo(new Target(1, 2));
    assertThat(target(TO_ZERO, one, NOW.plusSeconds(300))).isEqualTo(Target.NONE);
  }

  @Test
  void aBurstIsExpectedAgainForSomeMinutes() {
    Arrivals burst = burst(8);
    assertThat(target(TO_ZERO, burst, NOW).low()).isEqualTo(8);
    assertThat(target(TO_ZERO, burst, NOW.plusSeconds(120)).low()).isEqualTo(7);
    assertThat(target(TO_ZERO, burst, NOW.plusSeconds(290)).low()).isEqualTo(5);
  }

  @Test
  void aPoolNeverHasMoreThanItsMaximum() {
    assertThat(target(TO_ZERO, burst(50), NOW)).isEqualTo(new Target(10, 10));
  }

  @Test
  void theLongerAStartTakesTheMorePodsAreWanted() {
    Arrivals calls = Arrivals.NONE;
    for (int second = 0; second < 300; second++) {
      calls = calls.with(NOW.plusSeconds(second), Duration.ofMillis(500));
    }
    Instant end = NOW.plusSeconds(300);
    WarmPoolLimits many = new WarmPoolLimits(0, 100, Duration.ofMinutes(5));
    assertThat(PoolPlanner.target(many, calls, Duration.ofSeconds(1), end).low()).isBetween(3, 4);
    assertThat(PoolPlanner.target(many, calls, Duration.ofSeconds(16), end).low())
        .as("16 expected, and two standard deviations")
        .isBetween(23, 25);
  }

  @Test
  void targetsThatFitTheMemoryStay() {
    assertThat(granted(20, 40, need("a", "x", 0, 5, 1), need("b", "x", 0, 5, 1)))
        .containsOnly(
            Map.entry(key("a", "x"), new Target(5, 5)), Map.entry(key("b", "x"), new Target(5, 5)));
  }

  @Test
  void poolsOfANamespaceShareItsMemoryTheMinimaFirst() {
    assertThat(granted(6, 40, need("a", "idle", 2, 2, 0), need("a", "busy", 0, 9, 5)))
        .containsEntry(key("a", "idle"), new Target(2, 2))
        .containsEntry(key("a", "busy"), new Target(4, 4));
    assertThat(granted(5, 40, need("a", "x", 0, 9, 1), need("a", "busier", 0, 9, 5)))
        .containsEntry(key("a", "x"), new Target(2, 2))
        .containsEntry(key("a", "busier"), new Target(3, 3));
  }

  @Test
  void namespacesShareTheMemoryOfTheCluster() {
    assertThat(granted(20, 3, need("a", "x", 0, 5, 1), need("b", "x", 0, 5, 2)))
        .containsEntry(key("a", "x"), new Target(1, 1))
        .containsEntry(key("b", "x"), new Target(2, 2));
  }

  @Test
  void withoutMemoryThereAreNoIdlePods() {
    assertThat(granted(0, 40, need("a", "x", 2, 5, 1)))
        .containsExactly(Map.entry(key("a", "x"), Target.NONE));
  }

  @Test
  void podsThatAreStillToBeReplacedTakeMemory() {
    assertThat(
            PoolPlanner.withinMemory(
                List.of(need("a", "x", 5, 5, 1)), Map.of("a", 3L), new MemoryLimits(5, 40)))
        .containsExactly(Map.entry(key("a", "x"), new Target(2, 2)));
    assertThat(
            PoolPlanner.withinMemory(
                List.of(need("a", "x", 0, 5, 1)), Map.of("b", 3L), new MemoryLimits(9, 5)))
        .containsExactly(Map.entry(key("a", "x"), new Target(2, 2)));
  }

  @Test
  void podsOfOneNamespaceTakeNoMoreOfTheClusterThanTheNamespaceMayHave() {
    assertThat(
            PoolPlanner.withinMemory(
                List.of(need("a", "x", 0, 9, 1), need("b", "x", 0, 9, 1)),
                Map.of("a", 1_000L),
                new MemoryLimits(9, 16)))
        .containsEntry(key("a", "x"), Target.NONE)
        .containsEntry(key("b", "x"), new Target(7, 7));
  }

  @Test
  void podsOfOneNamespaceTakeNothingOfTheMinimaOfOthers() {
    assertThat(
            PoolPlanner.withinMemory(
                List.of(need("b", "x", 3, 5, 1), need("c", "x", 2, 5, 1)),
                Map.of("a", 1_000L),
                new MemoryLimits(9, 9)))
        .containsEntry(key("b", "x"), new Target(3, 3))
        .containsEntry(key("c", "x"), new Target(2, 2));
  }

  private static Target target(WarmPoolLimits limits, Arrivals arrivals, Instant now) {
    return PoolPlanner.target(limits, arrivals, START, now);
  }

  private static Arrivals burst(int calls) {
    Arrivals arrivals = Arrivals.NONE;
    for (int call = 0; call < calls; call++) {
      arrivals = arrivals.with(NOW, START);
    }
    return arrivals;
  }

  private static Map<PoolKey, Target> granted(long namespace, long cluster, Need... needs) {
    return PoolPlanner.withinMemory(List.of(needs), Map.of(), new MemoryLimits(namespace, cluster));
  }

  private static Need need(String namespace, String className, int min, int wanted, double rate) {
    return new Need(key(namespace, className), new Target(wanted, wanted), min, 1, rate);
  }

  private static PoolKey key(String namespace, String className) {
    return new PoolKey(namespace, className, Program.PYTHON);
  }
}
