package dev.assay.operator.pool;

import static dev.assay.operator.runner.FakeRunner.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PoolKeeperTest implements PoolResources {
  private static final Program PROGRAM = Program.PYTHON;

  private final ManualClock clock = new ManualClock();
  private final FakeApiServer api = new FakeApiServer();
  private final SigningKeys keys =
      new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock));
  private final FakeRunner runner = new FakeRunner(keys.current());
  private final RunnerClient runners = new RunnerClient(clock);
  private final ManualThreads threads = new ManualThreads();
  private final WarmPods warmPods = new WarmPods();
  private final PoolTemplates templates =
      new PoolTemplates(keys, runClass -> Duration.ofMinutes(10));
  private final List<Pod> pods = new ArrayList<>();
  private RunClass runClass = classWith(1);
  private final PoolKeeper keeper =
      PoolKeeper.of(
          Samples.config(),
          this,
          templates,
          warmPods,
          new RunnerPods(api.client(), clock),
          runners,
          new UserIds(clock),
          namespace -> {},
          threads,
          clock);

  @AfterEach
  void stop() {
    keeper.close();
    runners.close();
    runner.close();
    api.close();
  }

  @Override
  public Collection<Pod> pods() {
    return List.copyOf(pods);
  }

  @Override
  public Collection<RunClass> runClasses() {
    return List.of(runClass);
  }

  @Override
  public void podCreated(Pod pod) {
    pods.add(new PodBuilder(pod).withNewStatus().withPhase("Pending").endStatus().build());
  }

  @Test
  void aPoolIsFilledOnceWhileItsPodsStart() {
    runClass = classWith(2);
    keep();
    keep();
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void aClassWithoutAPoolHasNoPods() {
    runClass = classWith(0);
    keep();
    assertThat(creations()).isZero();
  }

  @Test
  void aPodIsGivenToOneRunOnceItsWorkerIsReady() {
    runner.on("/v1/ready", json(503, "{\"error\":{\"code\":\"NotReady\"}}"), json(200, READY));
    keep();
    podRuns();
    keep();
    assertThat(warmPods.take(template())).as("its worker imports").isEmpty();
    keep();
    assertThat(warmPods.take(template())).isPresent();
    assertThat(warmPods.take(template())).isEmpty();
    keep();
    assertThat(warmPods.take(template())).as("it has a job").isEmpty();
    assertThat(creations()).as("the next").isEqualTo(2);
  }

  @Test
  void aPodOfAnEarlierClassIsGivenToNoRunAndReplaced() {
    idle();
    runClass = Samples.runClass(runClass.getSpec().withImage("other:1"));
    runClass.getMetadata().setGeneration(2L);
    assertThat(warmPods.take(template())).isEmpty();
    keep();
    assertThat(deletions()).isEqualTo(1);
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void aPodThatHasAJobOfAnotherLeaderIsNeitherGivenNorDeleted() {
    runner.on("/v1/ready", json(200, READY));
    keep();
    podRuns();
    runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID, "Started")));
    keep();
    assertThat(warmPods.take(template())).isEmpty();
    keep();
    assertThat(creations()).as("another Pod instead").isEqualTo(2);
    runClass = classWith(0);
    keep();
    assertThat(api.requests("DELETE", "/pods/" + pods.getFirst().getMetadata().getName()))
        .isEmpty();
  }

  @Test
  void aPodThatAnswersNoMoreIsGivenToNoRun() {
    idle();
    runner.on("/v1/hello", json(200, FakeRunner.helloOf("another-pod")));
    clock.advance(Duration.ofSeconds(20));
    keep();
    assertThat(warmPods.take(template())).isEmpty();
  }

  @Test
  void aPodThatWasIdleForLongIsReplaced() {
    idle();
    clock.advance(PoolTemplate.IDLE_LIFE);
    keep();
    assertThat(warmPods.take(template())).isEmpty();
    assertThat(deletions()).isEqualTo(1);
  }

  @Test
  void aRejectedPodIsRequestedAgainLater() {
    api.refuse("POST", "/pods", 403, "Forbidden", "exceeded quota");
    keep();
    keep();
    assertThat(creations()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(10));
    keep();
    assertThat(creations()).isEqualTo(2);
  }

  private static final String READY = "{\"ready\":true}";

  private void idle() {
    runner.on("/v1/ready", json(200, READY));
    keep();
    podRuns();
    keep();
  }

  private void keep() {
    keeper.keep();
    threads.runAll();
  }

  /** The created Pod is that of the runner. */
  private void podRuns() {
    Pod created = pods.removeLast();
    Pod sample = Samples.runningPod(runner.port());
    pods.add(
        api.put(
            new PodBuilder(sample)
                .editMetadata()
                .withName(created.getMetadata().getName())
                .withCreationTimestamp(clock.instant().toString())
                .withLabels(
                    Map.of(
                        Labels.RUN_CLASS,
                        runClass.getMetadata().getName(),
                        Labels.WARM_POOL,
                        PoolMembers.hash(created)))
                .endMetadata()
                .build()));
  }

  private PoolTemplate template() {
    return templates.of(Samples.config().namespaces().getFirst(), runClass, PROGRAM);
  }

  private int creations() {
    return api.requests("POST", "/pods").size();
  }

  private int deletions() {
    return api.requests("DELETE", "/pods").size();
  }

  private static RunClass classWith(int min) {
    return Samples.runClass(
        Samples.classSpec(Purpose.Run).withWarmPool(min == 0 ? null : new ClassWarmPool(min)));
  }
}
