package dev.assay.operator.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HealthMonitorTest {
  private static final Duration GRACE = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofSeconds(5);

  private final ManualClock clock = new ManualClock();
  private final ManualThreads reconciles = new ManualThreads();
  private final Set<String> symptoms = new TreeSet<>();
  private boolean clientAnswers = true;
  private boolean serverAnswers = true;
  private boolean reconcilesRun = true;
  private final ApiProbe api =
      new ApiProbe(() -> serverAnswers && clientAnswers, () -> serverAnswers);
  private final HealthMonitor monitor =
      new HealthMonitor(
          List.of(new HealthCheck(GRACE, true, () -> Set.copyOf(symptoms))),
          api,
          reconciles,
          clock);

  @AfterEach
  void close() {
    monitor.close();
  }

  @Test
  void aProcessThatMakesProgressIsAlive() {
    pass(Duration.ofHours(1));
    assertThat(monitor.isAlive()).isTrue();
  }

  @Test
  void anInformerThatDoesNotWatchForLongFailsLiveness() {
    symptoms.add("informer pods does not watch");
    pass(GRACE.minus(LOOK));
    assertThat(monitor.isAlive()).isTrue();
    pass(LOOK.multipliedBy(2));
    assertThat(monitor.isAlive()).isFalse();
    symptoms.clear();
    pass(LOOK);
    assertThat(monitor.isAlive()).isTrue();
  }

  @Test
  void symptomsThatComeAndGoDoNot() {
    for (int i = 0; i < 10; i++) {
      symptoms.add("informer pods does not watch");
      pass(GRACE.dividedBy(2));
      symptoms.clear();
      pass(LOOK);
    }
    assertThat(monitor.isAlive()).isTrue();
  }

  @Test
  void anOutageOfTheApiServerDoesNotFailLivenessHoweverLong() {
    serverAnswers = false;
    symptoms.add("informer pods does not watch");
    pass(Duration.ofHours(1));
    assertThat(monitor.isAlive()).isTrue();
    serverAnswers = true;
    pass(GRACE.minus(LOOK));
    assertThat(monitor.isAlive()).as("informers have time to connect again").isTrue();
    pass(LOOK.multipliedBy(2));
    assertThat(monitor.isAlive()).isFalse();
  }

  @Test
  void aClientThatIsDeadWhileTheApiServerAnswersOthersFailsLiveness() {
    clientAnswers = false;
    pass(Duration.ofSeconds(30));
    assertThat(monitor.isAlive()).isTrue();
    pass(Duration.ofMinutes(1));
    assertThat(monitor.isAlive()).isFalse();
  }

  @Test
  void threadsThatDoNotRunFailLiveness() {
    reconcilesRun = false;
    pass(Duration.ofMinutes(2));
    assertThat(monitor.isAlive()).isFalse();
    reconcilesRun = true;
    pass(LOOK.multipliedBy(2));
    assertThat(monitor.isAlive()).isTrue();
  }

  @Test
  void aMonitorThatDoesNotLookFailsLiveness() {
    clock.advance(Duration.ofMinutes(2));
    assertThat(monitor.isAlive()).isFalse();
  }

  private void pass(Duration time) {
    for (Duration left = time; left.isPositive(); left = left.minus(LOOK)) {
      clock.advance(LOOK);
      api.probe();
      monitor.check();
      if (reconcilesRun) {
        reconciles.runAll();
      }
    }
  }
}
