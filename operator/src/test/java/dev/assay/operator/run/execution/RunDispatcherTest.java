package dev.assay.operator.run.execution;

import static dev.assay.operator.run.execution.ExecutionFixture.RUN_STATUS;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.more;
import static dev.assay.operator.runner.FakeRunner.refusal;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RunDispatcherTest {
  private final ExecutionFixture f = new ExecutionFixture();
  private final ManualThreads afterPause = new ManualThreads();
  private final AtomicInteger askedAgain = new AtomicInteger();

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void aRunIsExecutedOnceHoweverOftenThatIsAskedFor() {
    ManualThreads threads = new ManualThreads();
    RunDispatcher dispatcher = new RunDispatcher(f.services(threads), afterPause);
    assertThat(dispatcher.find(Samples.run())).isEmpty();
    execute(dispatcher);
    RunExecution first = dispatcher.find(Samples.run()).orElseThrow();
    execute(dispatcher);
    execute(dispatcher);
    assertThat(dispatcher.find(Samples.run())).containsSame(first);
    assertThat(threads.waiting()).isEqualTo(1);
  }

  @Test
  void aRunThatHasEndedIsNotExecutedAgainBeforeItsEndIsSeen() throws Exception {
    f.runner.on("/v1/start", events(started(1), result(2, "Succeeded", 0)));
    RunDispatcher dispatcher = executed();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
    assertThat(dispatcher.find(Samples.run())).isPresent();
    assertThat(afterPause.waiting()).isZero();
    dispatcher.forget(Samples.RUN_UID);
    assertThat(dispatcher.find(Samples.run())).isEmpty();
  }

  @Test
  void aRunThatIsGoneIsForgottenAtOnce() throws Exception {
    f.runner.on(
        "/v1/start",
        events(started(1))
            .then(meanwhile(() -> f.api.remove(Samples.run())))
            .then(more(result(2, "Succeeded", 0))));
    RunDispatcher dispatcher = executed();
    assertThat(dispatcher.find(Samples.run())).isEmpty();
    assertThat(afterPause.waiting()).isZero();
  }

  @Test
  void aRunThatIsNotThePodsIsForgottenAndLookedAtAgain() throws Exception {
    f.runner.on("/v1/hello", meanwhile(f::podGoes).then(refusal(503, "NotYet")));
    assertForgottenAndLookedAtAgain(executed());
  }

  @Test
  void aRunWhoseExecutionFailedIsForgottenAndLookedAtAgain() throws Exception {
    f.api.refuse("PATCH", RUN_STATUS, 500, "InternalError", "etcd is away");
    assertForgottenAndLookedAtAgain(executed());
  }

  @Test
  void aRunThatWarmPodsDoNotTakeGetsTheNextAtOnceOnlyTheFirstTime() throws Exception {
    f.podIsWarm();
    f.runner.on("/v1/stage", refusal(409, "RunMismatch"));
    RunDispatcher dispatcher = new RunDispatcher(f.services, afterPause);
    assertThat(dispatcher.hasFailedClaim(Samples.run())).isFalse();
    for (int failed = 1; failed <= 3; failed++) {
      execute(dispatcher);
      f.threads.awaitIdle();
      assertThat(afterPause.waiting()).isEqualTo(failed == 1 ? 0 : 1);
      afterPause.runAll();
      assertThat(dispatcher.hasFailedClaim(Samples.run())).isTrue();
    }
    assertThat(askedAgain).hasValue(3);
    dispatcher.forget(Samples.RUN_UID);
    assertThat(dispatcher.hasFailedClaim(Samples.run())).isFalse();
  }

  @Test
  void aRunThatIsInterruptedByTheOperatorsEndIsLeftAsItIs() throws Exception {
    ManualThreads threads = new ManualThreads();
    RunDispatcher dispatcher = new RunDispatcher(f.services(threads), afterPause);
    execute(dispatcher);
    FutureTask<Boolean> task =
        new FutureTask<>(
            () -> {
              threads.runAll();
              return Thread.interrupted();
            });
    Thread thread = Thread.ofVirtual().unstarted(task);
    f.runner.on("/v1/hello", meanwhile(thread::interrupt).then(refusal(503, "NotYet")));
    thread.start();
    assertThat(task.get(20, TimeUnit.SECONDS)).as("the interrupt is handed on").isTrue();
    assertThat(dispatcher.find(Samples.run())).isPresent();
    assertThat(afterPause.waiting()).isZero();
    assertThat(f.reasons()).isEmpty();
  }

  private void assertForgottenAndLookedAtAgain(RunDispatcher dispatcher) {
    assertThat(dispatcher.find(Samples.run())).as("until the pause is over").isPresent();
    assertThat(askedAgain).hasValue(0);
    afterPause.runAll();
    assertThat(dispatcher.find(Samples.run())).isEmpty();
    assertThat(askedAgain).hasValue(1);
  }

  /** A dispatcher that has executed the run. */
  private RunDispatcher executed() throws Exception {
    RunDispatcher dispatcher = new RunDispatcher(f.services, afterPause);
    execute(dispatcher);
    f.threads.awaitIdle();
    return dispatcher;
  }

  private void execute(RunDispatcher dispatcher) {
    dispatcher.execute(f.request(), f.view(), askedAgain::incrementAndGet);
  }
}
