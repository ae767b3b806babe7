package dev.assay.frontend.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.watch.ClusterException;
import org.junit.jupiter.api.Test;

class LimitedRunsTest {
  private final FakeRuns runs = new FakeRuns();

  @Test
  void aCallerHasALimitedNumberOfRunsThatHaveNotEnded() {
    LimitedRuns limited = new LimitedRuns(runs, 100, 2);
    AnalyticsRun first = limited.create(run("a", "alice"));
    AnalyticsRun unused = limited.create(run("b", "alice"));

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> limited.create(run("c", "alice")))
        .withMessage(
            "you have 2 runs that have not ended, which is the limit; wait for some, or cancel them")
        .satisfies(refused -> assertThat(refused.wasNotDone()).isTrue());
    assertThat(limited.create(run("d", "bob"))).isNotNull();

    runs.status(first, Fixtures.succeeded(""));
    assertThat(limited.create(run("e", "alice"))).isNotNull();
  }

  @Test
  void aNamespaceHasALimitedNumberOfRunsThoughTheyHaveEnded() {
    LimitedRuns limited = new LimitedRuns(runs, 2, 2);
    runs.status(limited.create(run("a", "alice")), Fixtures.succeeded(""));
    runs.status(limited.create(run("b", "bob")), Fixtures.succeeded(""));

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> limited.create(run("c", "alice")))
        .withMessageStartingWith("the namespace has 2 runs, which is the limit");

    runs.delete(runs.created.getFirst());
    assertThat(limited.create(run("c", "alice"))).isNotNull();
  }

  private static AnalyticsRun run(String name, String caller) {
    AnalyticsRun run = Fixtures.run(name, null);
    run.setSpec(run.getSpec().withCaller(caller));
    return run;
  }
}
