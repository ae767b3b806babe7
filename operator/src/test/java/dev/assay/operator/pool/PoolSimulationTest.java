package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.assay.api.v1alpha1.RunClassSpec.WarmPoolLimits;
import dev.assay.operator.pool.PoolSimulation.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often calls find an idle Pod, and what that costs. Pods start in 1.5 s. */
class PoolSimulationTest {
  private static final long SEED = 17;
  private static final Duration START_TIME = Duration.ofMillis(1500);
  private static final int MANY_CORES = 200;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration IDLE = Duration.ofMinutes(5);
  private static final WarmPoolLimits TO_ZERO = new WarmPoolLimits(0, 40, IDLE);

  /** In fact 97.2, 97.8, 97.5 and 96.1 % of the calls, with 1.6, 2.4, 3.6 and 4.3 idle Pods. */
  @ParameterizedTest
  @CsvSource({"0.02, 0.95, 2", "0.2, 0.95, 3", "1, 0.95, 4.5", "2, 0.94, 5.5"})
  void poissonArrivalsFindPods(double rate, double leastHits, double mostIdle) {
    Outcome outcome = simulate(TO_ZERO, HOUR, second -> rate, rate);
    assertThat(outcome.hitRate()).isGreaterThan(leastHits);
    assertThat(outcome.meanIdle()).isLessThan(mostIdle);
    assertThat(outcome.retired()).as("started for nothing").isLessThan(10);
  }

  /**
   * One call in 200 s on average, so that 78 % (1 - e^-1.5) are expected to come within the five
   * minutes, at the cost of one Pod. The hour is one small sample: 9 of its 15 do.
   */
  @Test
  void rareCallsFindThePodOfTheOneBefore() {
    Outcome outcome = simulate(TO_ZERO, HOUR, second -> 0.005, 0.005);
    assertThat(outcome.hitRate()).isGreaterThan(0.5);
    assertThat(outcome.meanIdle()).isLessThan(1);
  }

  /** In fact 97.7 %, with 17 Pods at once at most; four at once would be 53 %. */
  @Test
  void aPoolWithManyCallsStartsMorePodsAtOnceWhereThereAreCores() {
    Outcome outcome = simulate(TO_ZERO, HOUR, second -> 5, 5);
    assertThat(outcome.hitRate()).isGreaterThan(0.9);
    assertThat(outcome.startLimit()).isGreaterThan(StartLimit.MIN);
  }

  /** Two cores start 1.3 Pods in a second, however many start at once: 27 % of five calls. */
  @Test
  void aPoolServesAsManyCallsAsItsNodesCanStartPods() {
    List<Double> calls = poisson(Arrivals.seconds(HOUR), second -> 5, 5);
    Outcome outcome = PoolSimulation.run(TO_ZERO, START_TIME, 2, HOUR, calls);
    assertThat(outcome.hitRate()).isCloseTo(2 / Arrivals.seconds(START_TIME) / 5, within(0.03));
    assertThat(outcome.startLimit()).as("no more than before").isLessThan(8);
  }

  /** Every two minutes: only the first burst misses, which is 96.7 %, with 19.3 idle Pods. */
  @Test
  void burstsOfTwentyFindPodsFromTheSecondOn() {
    Outcome outcome = PoolSimulation.run(TO_ZERO, START_TIME, MANY_CORES, HOUR, bursts(120));
    assertThat(outcome.hitRate()).isGreaterThan(0.95);
    assertThat(outcome.meanIdle()).isLessThan(20);
  }

  @Test
  void burstsThatAreFurtherApartThanTheIdleTimeMissAndAreNotWaitedFor() {
    Outcome outcome = PoolSimulation.run(TO_ZERO, START_TIME, MANY_CORES, HOUR, bursts(1200));
    assertThat(outcome.hitRate()).isZero();
    assertThat(outcome.meanIdle()).as("five minutes in twenty").isLessThan(5);
  }

  /** Up to one call in a second at noon, none at night: 98.1 % with 1.6 idle Pods. */
  @Test
  void aDayWithoutCallsAtNightCostsNothingThen() {
    Outcome outcome =
        simulate(
            TO_ZERO,
            Duration.ofHours(24),
            second -> Math.max(0, Math.sin((second / 86_400 - 0.25) * 2 * Math.PI)),
            1);
    assertThat(outcome.hitRate()).isGreaterThan(0.96);
    assertThat(outcome.meanIdle()).isLessThan(2);
    assertThat(outcome.lastIdle()).isZero();
  }

  @Test
  void aPoolThatIsNotCalledHasNoPodEver() {
    assertThat(PoolSimulation.run(TO_ZERO, START_TIME, MANY_CORES, HOUR, List.of()))
        .isEqualTo(new Outcome(1, 0, 0, 0, StartLimit.MIN));
  }

  private static List<Double> bursts(int everySeconds) {
    List<Double> calls = new ArrayList<>();
    for (double second = 0; second < HOUR.toSeconds(); second += everySeconds) {
      calls.addAll(Collections.nCopies(20, second));
    }
    return calls;
  }

  private static Outcome simulate(
      WarmPoolLimits limits, Duration length, DoubleUnaryOperator rate, double maxRate) {
    return PoolSimulation.run(
        limits, START_TIME, MANY_CORES, length, poisson(Arrivals.seconds(length), rate, maxRate));
  }

  /** Calls at a rate that may change, by thinning those of the highest rate. */
  private static List<Double> poisson(double length, DoubleUnaryOperator rate, double maxRate) {
    Random random = new Random(SEED);
    List<Double> calls = new ArrayList<>();
    double now = 0;
    while (true) {
      now -= Math.log(1 - random.nextDouble()) / maxRate;
      if (now >= length) {
        return calls;
      }
      if (random.nextDouble() * maxRate < rate.applyAsDouble(now)) {
        calls.add(now);
      }
    }
  }
}
