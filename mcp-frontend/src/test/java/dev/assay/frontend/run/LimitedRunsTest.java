package dev.assay.frontend.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunBytes;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.watch.ClusterException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LimitedRunsTest {
  private final FakeRuns runs = new FakeRuns();

  @Test
  void aCallerHasALimitedNumberOfRunsThatHaveNotEnded() {
    LimitedRuns limited = new LimitedRuns(runs, new LimitedRuns.Limits(100, 100, 2, 200));
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
    LimitedRuns limited = new LimitedRuns(runs, new LimitedRuns.Limits(2, 2, 2, 200));
    runs.status(limited.create(run("a", "alice")), Fixtures.succeeded(""));
    runs.status(limited.create(run("b", "bob")), Fixtures.succeeded(""));

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> limited.create(run("c", "alice")))
        .withMessageStartingWith("the namespace has 2 runs, which is the limit");

    runs.delete(runs.created.getFirst());
    assertThat(limited.create(run("c", "alice"))).isNotNull();
  }

  @Test
  void aCallerWhoCreatesRunsInALoopHasToWait() {
    AtomicLong nanoTime = new AtomicLong();
    LimitedRuns limited =
        new LimitedRuns(runs, new LimitedRuns.Limits(100, 100, 100, 1), nanoTime::get);
    for (int i = 0; i < 5; i++) {
      AnalyticsRun unused = limited.create(run("a" + i, "alice"));
    }

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> limited.create(run("a5", "alice")))
        .withMessage("you create runs faster than the limit of 1 a second; retry in a second")
        .satisfies(limit -> assertThat(limit.kind()).isEqualTo(ClusterException.Kind.LIMITED));
    assertThat(limited.create(run("b", "bob"))).isNotNull();
    nanoTime.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(limited.create(run("a6", "alice"))).isNotNull();
  }

  @Test
  void aCallerHasAShareOfTheRunsOfANamespace() {
    LimitedRuns limited = new LimitedRuns(runs, new LimitedRuns.Limits(4, 2, 2, 200));
    runs.status(limited.create(run("a", "alice")), Fixtures.succeeded(""));
    runs.status(limited.create(run("b", "alice")), Fixtures.succeeded(""));

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> limited.create(run("c", "alice")))
        .withMessageStartingWith("you have 2 runs, which is the limit")
        .satisfies(limit -> assertThat(limit.kind()).isEqualTo(ClusterException.Kind.LIMITED));
    assertThat(limited.create(run("d", "bob"))).isNotNull();
  }

  /** The API server keeps all objects of a cluster in two gigabytes. */
  @Test
  void runsHaveALimitedNumberOfBytesTogether() {
    LimitedRuns limited = new LimitedRuns(runs, new LimitedRuns.Limits(40, 20, 20, 200));
    AnalyticsRun large = run("a", "alice");
    large.setSpec(large.getSpec().withCode("x".repeat(300_000)));
    runs.status(limited.create(large), Fixtures.succeeded(""));
    AnalyticsRun next = run("b", "alice");
    next.setSpec(next.getSpec().withInput("x".repeat(30_000)));

    assertThatExceptionOfType(ClusterException.class)
        .isThrownBy(() -> limited.create(next))
        .withMessageMatching(
            "you have runs of 30\\d{4} bytes, and 327680 is the limit; load large inputs.*");
    assertThat(limited.create(run("c", "alice"))).isNotNull();
    assertThat(limited.create(run("d", "bob"))).isNotNull();
  }

  /** In JSON, a control character takes six bytes. */
  @Test
  void bytesAreThoseThatTheApiServerStores() {
    AnalyticsRun run = run("a", "alice");
    run.setSpec(run.getSpec().withCode("\u0001".repeat(10_000) + "<".repeat(10_000)));

    assertThat(RunBytes.of(run)).isBetween(120_000L, 130_000L);
  }

  private static AnalyticsRun run(String name, String caller) {
    AnalyticsRun run = Fixtures.run(name, null);
    run.setSpec(run.getSpec().withCaller(caller));
    return run;
  }
}
