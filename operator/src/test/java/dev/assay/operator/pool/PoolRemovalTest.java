package dev.assay.operator.pool;

import static dev.assay.operator.runner.FakeRunner.helloOf;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.Retirement;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PoolRemovalTest {
  private final ManualClock clock = new ManualClock();
  private final ManualThreads threads = new ManualThreads();
  private final FakeApiServer api = new FakeApiServer();
  private final SigningKeys keys =
      new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock));
  private final FakeRunner runner = new FakeRunner(keys.current());
  private final RunnerClient runners = new RunnerClient(clock);
  private final EgressTarget egressTarget = new EgressTarget(null);
  private final PoolTemplate template = template();
  private final WarmPods warmPods = new WarmPods(clock);
  private final PoolRemoval removal =
      new PoolRemoval(
          warmPods,
          new PoolRunners(runners, new Retirement(runners, keys)),
          new RunnerPods(api.client(), clock),
          new PodTasks(threads, 16),
          clock);

  private final Pod idle =
      Samples.warm(Samples.trusting(Samples.runningPod(runner.port()), keys.current()));

  /** One that has failed, and that a run may be given until the pool sees that. */
  private final Pod pod = api.put(withoutAddress(idle));

  @AfterEach
  void stop() {
    runners.close();
    runner.close();
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

  @Test
  void aPodTakesNoJobAnyMoreOnceItIsDeleted() {
    Pod reachable = api.put(idle);
    List<List<String>> opsAtDeletion = new CopyOnWriteArrayList<>();
    api.intercept(
        request -> {
          if (request.is("DELETE", "/pods/")) {
            opsAtDeletion.add(List.copyOf(runner.ops()));
          }
          return Optional.empty();
        });
    removal.retire(reachable);
    assertThat(deletions()).isEqualTo(1);
    assertThat(opsAtDeletion).containsExactly(List.of("refuse"));
  }

  @Test
  void aPodThatAReplacedLeaderStartsAfterItWasFoundIdleIsLeftToItsRun() {
    Pod reachable = api.put(idle);
    runner.on("/v1/refuse", refusal(409, "Started"));
    removal.retire(reachable);
    assertThat(deletions()).isZero();
    clock.advance(Duration.ofSeconds(10));
    removal.retire(reachable);
    threads.runAll();
    assertThat(runner.ops()).as("it has a job, as is known").containsExactly("refuse");
  }

  @Test
  void aPodThatWasRetiredAndCouldNotBeDeletedIsDeletedLater() {
    Pod reachable = api.put(idle);
    runner.on("/v1/hello", json(200, helloOf(Samples.POD_UID, "Refused")));
    removal.retire(reachable);
    assertThat(deletions()).isEqualTo(1);
    assertThat(runner.ops()).isEmpty();
  }

  @Test
  void aPodThatRunsByNowAlthoughTheCacheDoesNotShowItIsAskedBeforeItIsDeleted() {
    Pod reachable = api.put(idle);
    removal.retire(pod);
    threads.runAll();
    assertThat(api.find(reachable)).as("it has changed").isPresent();
    assertThat(runner.ops()).isEmpty();
    removal.retire(reachable);
    threads.runAll();
    assertThat(api.find(reachable)).as("not at once again").isPresent();
    clock.advance(Duration.ofSeconds(1));
    removal.retire(reachable);
    threads.runAll();
    assertThat(runner.ops()).containsExactly("refuse");
    assertThat(api.find(reachable)).isEmpty();
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
    return new PoolTemplates(
            keys, egressTarget, unused -> new WarmPodLimits(Duration.ofMinutes(10), Map.of()))
        .of(Samples.config().namespaces().getFirst(), runClass, Program.PYTHON);
  }
}
