package dev.assay.operator.run;

import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.TrackedThreads;
import dev.assay.operator.runner.FakeRunner;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is decided for runs that have warm Pods, or could have one. */
class WarmReconcilerTest {
  private final ReconcilerFixture f = new ReconcilerFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void theEndOfAWorkerIsSeenAtOnceAlsoInAPodThatDoesNotBelongToItsRunYet() throws Exception {
    TrackedThreads threads = new TrackedThreads();
    f.operatorRestarts(threads.executor());
    CountDownLatch waits = new CountDownLatch(1);
    f.resources.onPodRead =
        () -> {
          if (isAwaited()) {
            waits.countDown();
          }
        };
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      runner.on("/v1/start", events(started(1), result(2, "WorkerLost", 0)));
      Pod pod =
          f.podIs(
              running ->
                  new PodBuilder(Samples.warm(f.reachableAt(running, runner.port()).build())));
      f.run(
          f.read().getSpec(),
          Bindings.status(Samples.run(), bound(pod, FakeRunner.NONCE), f.clock.instant()));
      f.reconcile();
      assertThat(waits.await(20, TimeUnit.SECONDS)).isTrue();

      long began = System.nanoTime();
      f.resources.pod = withoutMemory(pod);
      f.resources.podChanged.accept(requireNonNull(f.resources.pod));
      threads.awaitIdle();

      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .isLessThan(ExecutionEndings.STATUS_LAG);
      assertThat(f.status().reason()).isEqualTo(RunReason.MemoryExceeded);
    }
  }

  private static boolean isAwaited() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("await")));
  }

  private static BoundPod bound(Pod pod, String nonce) {
    return BoundPodBuilder.builder()
        .name(pod.getMetadata().getName())
        .uid(pod.getMetadata().getUid())
        .warm(true)
        .nonce(nonce)
        .build();
  }

  private static Pod withoutMemory(Pod pod) {
    return new PodBuilder(pod)
        .editStatus()
        .addNewContainerStatus()
        .withName("worker")
        .withNewState()
        .withNewTerminated()
        .withReason("OOMKilled")
        .withExitCode(137)
        .endTerminated()
        .endState()
        .endContainerStatus()
        .endStatus()
        .build();
  }
}
