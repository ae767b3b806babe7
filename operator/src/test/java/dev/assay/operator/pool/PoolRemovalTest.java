package dev.assay.operator.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PoolRemovalTest {
  private final ManualClock clock = new ManualClock();
  private final ManualThreads threads = new ManualThreads();
  private final FakeApiServer api = new FakeApiServer();
  private final RunnerClient runners = new RunnerClient(clock);
  private final EgressTarget egressTarget = new EgressTarget(null);
  private final PoolTemplate template = template();
  private final WarmPods warmPods = new WarmPods(clock);
  private final PoolRemoval removal =
      new PoolRemoval(warmPods, checks(), new RunnerPods(api.client(), clock), threads, clock);

  /** One that has failed, and that a run may be given until the pool sees that. */
  private final Pod pod = api.put(withoutAddress(Samples.warm(Samples.runningPod(7333))));

  @AfterEach
  void stop() {
    runners.close();
    api.close();
  }

  @Test
  void aFailedPodIsDeletedAndReportedOnce() {
    IdlePods.offer(warmPods, template, pod, clock.instant());
    assertThat(removal.deleteFailed(pod, "its worker has ended")).isTrue();
    assertThat(removal.deleteFailed(pod, "its worker has ended")).isFalse();
    assertThat(deletions()).isEqualTo(1);
    assertThat(warmPods.take(template, any -> true)).isEmpty();
  }

  @Test
  void aFailedPodThatWasJustGivenToARunIsLeftToIt() {
    IdlePods.offer(warmPods, template, pod, clock.instant());
    assertThat(warmPods.take(template, any -> true)).isPresent();
    assertThat(removal.deleteFailed(pod, "its worker has ended")).isFalse();
    assertThat(deletions()).isZero();
  }

  private int deletions() {
    threads.runAll();
    return api.requests("DELETE", "/pods/").size();
  }

  private static Pod withoutAddress(Pod pod) {
    return new PodBuilder(pod).editStatus().withPodIP(null).endStatus().build();
  }

  private PoolTemplate template() {
    RunClass runClass =
        Samples.runClass(
            Samples.classSpec(Purpose.Run).withWarmPool(new ClassWarmPool(1, null, null, null)));
    SigningKeys keys = new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock));
    return new PoolTemplates(
            keys, egressTarget, unused -> new WarmPodLimits(Duration.ofMinutes(10), Map.of()))
        .of(Samples.config().namespaces().getFirst(), runClass, Program.PYTHON);
  }

  private PoolChecks checks() {
    EventRecorder events = new EventRecorder(api.client(), threads, clock);
    return new PoolChecks(
        warmPods,
        new PoolPauses(clock),
        new PoolHistory(clock),
        runners,
        new EgressCheck(runners, egressTarget, events, clock),
        threads,
        clock);
  }
}
