package dev.assay.operator.run;

import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.api.v1alpha1.BoundPodBuilder;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.Samples;
import dev.assay.operator.TrackedThreads;
import dev.assay.operator.runner.FakeRunner;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.Map;
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

  /** It belongs to its class until it is adopted, which the next leader may find it before. */
  @Test
  void aRunIsTakenUpInAWarmPodWithTheLimitsOfWhenItWasAdmittedWhateverBecameOfItsClass()
      throws Exception {
    f.run(Samples.spec("1", null, 2048, null), null);
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      runner.on("/v1/start", events(started(1), result(2, "Succeeded", 0)));
      Map<String, String> ofClass =
          RunLimits.ofWarmPod(Samples.classSpec(Purpose.Run)).annotations();
      Pod pod =
          f.podIs(
              running ->
                  new PodBuilder(Samples.warm(f.reachableAt(running, runner.port()).build()))
                      .editMetadata()
                      .addToAnnotations(ofClass)
                      .endMetadata());
      f.run(
          f.read().getSpec(),
          Bindings.status(Samples.run(), bound(pod, FakeRunner.NONCE), f.clock.instant()));
      f.resources.runClass = null;
      TrackedThreads threads = new TrackedThreads();
      f.operatorRestarts(threads.executor());
      f.reconcile();
      threads.awaitIdle();
      JsonNode limits = runner.accepted().getFirst().at("/job/limits");
      assertThat(limits.path("timeoutMs").asInt()).isEqualTo(30_000);
      assertThat(limits.path("outputBytes").asInt()).isEqualTo(2048);
    }
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
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
