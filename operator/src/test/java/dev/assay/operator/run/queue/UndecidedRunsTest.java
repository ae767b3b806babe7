package dev.assay.operator.run.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UndecidedRunsTest {
  private static final AnalyticsRunSpec SPEC = Samples.run().getSpec();

  private final ManualClock clock = new ManualClock();
  private final Set<String> gone = new HashSet<>();
  private final UndecidedRuns undecided =
      new UndecidedRuns(run -> !gone.contains(run.getMetadata().getUid()), clock);

  @Test
  void thoseThatWereCreatedBeforeCountUntilTheyAreDecided() {
    AnalyticsRun first = added(run(1, SPEC));
    AnalyticsRun second = added(run(2, SPEC));
    AnalyticsRun third = added(run(3, SPEC));
    assertThat(undecided.countBefore(first)).isZero();
    assertThat(undecided.countBefore(third)).isEqualTo(2);
    undecided.decided(first);
    assertThat(undecided.countBefore(third)).isEqualTo(1);
    undecided.decided(third);
    assertThat(undecided.countBefore(third)).isEqualTo(1);
    undecided.decided(second);
    assertThat(undecided.countBefore(third)).isZero();
  }

  @Test
  void aRunThatWasWrittenMeanwhileDoesNotCountForItself() {
    AnalyticsRun run = added(run(1, SPEC));
    run = run(1, SPEC);
    run.getMetadata().setResourceVersion("2");
    assertThat(undecided.countBefore(run)).isZero();
  }

  @Test
  void runsThatUseOtherPodsDoNotCount() {
    AnalyticsRun elsewhere = run(1, SPEC);
    elsewhere.getMetadata().setNamespace("team-b");
    added(elsewhere);
    added(run(2, SPEC.withClassName("python-large")));
    added(run(3, SPEC.withLanguage(Language.SQL)));
    added(run(4, SPEC.withInputs(List.of(new RunInput("run-0", "out.csv", null)))));
    assertThat(undecided.countBefore(run(9, SPEC))).isZero();
  }

  @Test
  void aRunThatIsNotDecidedForLongDoesNotHoldOthersBack() {
    added(run(1, SPEC));
    clock.advance(UndecidedRuns.MAX_AGE);
    assertThat(undecided.countBefore(run(2, SPEC))).isEqualTo(1);
    clock.advance(Duration.ofMillis(1));
    assertThat(undecided.countBefore(run(2, SPEC))).isZero();
  }

  @Test
  void aRunThatIsDeletedAtOnceHoldsNobodyBack() {
    added(run(1, SPEC));
    gone.add("run-1");
    assertThat(undecided.countBefore(run(2, SPEC))).isZero();
  }

  @Test
  void aRunThatHasAStatusWasDecidedByAnEarlierLeader() {
    undecided.add(
        Samples.run(SPEC, AnalyticsRunStatusBuilder.builder().phase(RunPhase.Pending).build()));
    assertThat(undecided.countBefore(run(2, SPEC))).isZero();
  }

  @Test
  void asManyTakeOneAsThereAreHoweverManyLookAtTheSameTime() throws Exception {
    List<AnalyticsRun> runs =
        new ArrayList<>(IntStream.range(0, 50).mapToObj(version -> run(version, SPEC)).toList());
    runs.forEach(undecided::add);
    Collections.shuffle(runs);
    AtomicInteger left = new AtomicInteger(50);
    List<Callable<Optional<String>>> attempts =
        runs.stream().map(run -> (Callable<Optional<String>>) () -> take(run, left)).toList();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Optional<String>> taken : threads.invokeAll(attempts)) {
        assertThat(taken.get()).as("there is one for each").isPresent();
      }
    }
  }

  private Optional<String> take(AnalyticsRun run, AtomicInteger left) {
    return undecided.take(
        run,
        before -> {
          if (left.get() <= before.getAsInt()) {
            return Optional.empty();
          }
          left.decrementAndGet();
          return Optional.of("taken");
        });
  }

  private AnalyticsRun added(AnalyticsRun run) {
    undecided.add(run);
    return run;
  }

  private static AnalyticsRun run(int version, AnalyticsRunSpec spec) {
    AnalyticsRun run = Samples.run(spec, null);
    run.getMetadata().setUid("run-" + version);
    run.getMetadata().setResourceVersion(Integer.toString(version));
    return run;
  }
}
