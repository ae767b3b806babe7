package dev.assay.operator.run.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.pool.ClaimedPod;
import dev.assay.operator.pool.IdlePods;
import dev.assay.operator.pool.PoolHistory;
import dev.assay.operator.pool.PoolTemplate;
import dev.assay.operator.pool.PoolTemplates;
import dev.assay.operator.pool.WarmPods;
import dev.assay.operator.run.admission.RunAdmission;
import dev.assay.operator.run.admission.RunLimits;
import dev.assay.operator.run.execution.WarmRefusals;
import dev.assay.operator.run.fixture.FakeRunResources;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WarmClaimTest {
  private static final RunNamespace NAMESPACE = Samples.config().namespaces().getFirst();
  private static final RunClass CLASS =
      Samples.runClass(
          Samples.classSpec(Purpose.Run).withWarmPool(new ClassWarmPool(1, null, null, null)));
  private static final RunLimits LIMITS = RunLimits.of(Samples.run().getSpec(), CLASS.getSpec());
  private static final List<PinnedSnapshot> SNAPSHOTS =
      List.of(new PinnedSnapshot("sales", "a", "snapshots/a", null, null));
  private static final Pod POD = Samples.warm(Samples.runningPod(7333));

  private final FakeApiServer api = new FakeApiServer();
  private final PoolTemplates templates =
      new PoolTemplates(
          new SigningKeys(new SigningKeySecret(api.client(), "assay-system", new ManualClock())),
          new EgressTarget(null),
          RunLimits::ofWarmPod);
  private static final ClaimedPod CLAIMED = new ClaimedPod(POD, FakeRunner.idleHello());

  private final ManualClock clock = new ManualClock();
  private final WarmPods pods = new WarmPods(clock);
  private final List<String> shutIn = new ArrayList<>();
  private final PoolHistory history = IdlePods.history(new ManualClock());
  private final WarmRefusals refusals = new WarmRefusals(clock);
  private final FakeRunResources resources = new FakeRunResources();
  private final WarmWaiting waiting = new WarmWaiting(templates, pods, refusals, resources);
  private final WarmClaim claim = new WarmClaim(waiting, templates, pods, history, shutIn::add);

  @BeforeEach
  void aPodWaits() {
    IdlePods.offer(pods, templates.of(NAMESPACE, CLASS, Program.PYTHON), POD, clock.instant());
  }

  @AfterEach
  void stop() {
    api.close();
  }

  @Test
  void aPodIsGivenToOneRun() {
    assertThat(take(CLASS, admitted())).contains(CLAIMED);
    assertThat(take(CLASS, admitted())).isEmpty();
  }

  @Test
  void aHundredRunsAtOnceGetTenPodsEachOnce() throws Exception {
    for (int number = 1; number < 10; number++) {
      IdlePods.offer(pods, template(), pod("pod-" + number), clock.instant());
    }
    List<Callable<Optional<ClaimedPod>>> claims = Collections.nCopies(100, this::claim);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<String> given = new ArrayList<>();
      for (Future<Optional<ClaimedPod>> claimed : threads.invokeAll(claims)) {
        claimed.get().ifPresent(found -> given.add(found.pod().getMetadata().getUid()));
      }
      assertThat(given).hasSize(10).doesNotHaveDuplicates();
    }
    assertThat(IdlePods.hits(history, template())).isEqualTo(10);
    assertThat(IdlePods.misses(history, template())).isEqualTo(90);
  }

  private Optional<ClaimedPod> claim(AnalyticsRun run) {
    return claim.take(run, NAMESPACE, CLASS, admitted());
  }

  private Optional<ClaimedPod> claim() {
    AnalyticsRun run = Samples.run();
    run.getMetadata().setUid(UUID.randomUUID().toString());
    return claim(run);
  }

  private static Pod pod(String uid) {
    return new PodBuilder(POD).editMetadata().withUid(uid).endMetadata().build();
  }

  @Test
  void aRunWithDatasetsGetsOneUnlessItsClassSaysNo() {
    RunAdmission.Admitted admitted = new RunAdmission.Admitted(SNAPSHOTS, List.of(), LIMITS);
    canOpenSnapshots();
    RunClass without =
        Samples.runClass(
            Samples.classSpec(Purpose.Run).withWarmPool(new ClassWarmPool(1, null, null, false)));
    assertThat(take(without, admitted)).isEmpty();
    assertThat(take(CLASS, admitted)).map(ClaimedPod::pod).contains(POD);
  }

  @Test
  void aRunWithDatasetsIsGivenNoPodWhoseRunnerCannotOpenThem() {
    assertThat(take(CLASS, new RunAdmission.Admitted(SNAPSHOTS, List.of(), LIMITS))).isEmpty();
    assertThat(take(CLASS, admitted())).contains(CLAIMED);
  }

  @Test
  void aRunWhoseDatasetsAWarmPodHasRefusedIsGivenNoneForTenMinutes() {
    RunAdmission.Admitted admitted = new RunAdmission.Admitted(SNAPSHOTS, List.of(), LIMITS);
    canOpenSnapshots();
    refusals.snapshotsRefused(NAMESPACE.name(), SNAPSHOTS);
    assertThat(take(CLASS, admitted)).isEmpty();
    clock.advance(WarmRefusals.MEMORY.plusSeconds(1));
    canOpenSnapshots();
    assertThat(take(CLASS, admitted)).isPresent();
  }

  @Test
  void aRunWhoseJobAWarmPodHasRefusedIsGivenNone() {
    refusals.runRefused(NAMESPACE.name(), Samples.run().getMetadata().getUid());
    assertThat(take(CLASS, admitted())).isEmpty();
  }

  private void canOpenSnapshots() {
    IdlePods.offer(pods, template(), POD, FakeRunner.idleHello("snapshots"), clock.instant());
  }

  @Test
  void aRunWithInputsGetsNone() {
    PinnedInput input = new PinnedInput("run-0", "uid-0", 1, "out.csv", 1, "", "out.csv", null);
    assertThat(take(CLASS, new RunAdmission.Admitted(List.of(), List.of(input), LIMITS))).isEmpty();
    assertThat(take(CLASS, admitted())).contains(CLAIMED);
  }

  @Test
  void aRunOfAClassWithoutAPoolGetsNone() {
    RunClass without = Samples.runClass(Samples.classSpec(Purpose.Run));
    assertThat(take(without, admitted())).isEmpty();
    assertThat(shutIn).as("nothing is asked for").isEmpty();
  }

  @Test
  void aRunThatIsGivenAPodIsAHitAndAnotherThatCouldBeIsAMiss() {
    AnalyticsRun second = Samples.run();
    second.getMetadata().setUid("uid-of-the-second");
    assertThat(take(CLASS, admitted())).isPresent();
    assertThat(claim.take(second, NAMESPACE, CLASS, admitted())).isEmpty();
    assertThat(claim.take(second, NAMESPACE, CLASS, admitted())).as("it waits").isEmpty();
    assertThat(IdlePods.hits(history, template())).isEqualTo(1);
    assertThat(IdlePods.misses(history, template())).isEqualTo(1);
  }

  @Test
  void aRunThatNoPoolCouldServeIsNoMiss() {
    PinnedInput input = new PinnedInput("run-0", "uid-0", 1, "out.csv", 1, "", "out.csv", null);
    assertThat(take(CLASS, new RunAdmission.Admitted(List.of(), List.of(input), LIMITS))).isEmpty();
    assertThat(IdlePods.misses(history, template())).isZero();
  }

  /** It would have those behind it wait for ever. */
  @Test
  void aRunThatWaitsAndThatNoPodOfItsPoolServesDoesNotWaitForOne() {
    RunAdmission.Admitted admitted = new RunAdmission.Admitted(SNAPSHOTS, List.of(), LIMITS);
    AnalyticsRun next = Samples.run();
    next.getMetadata().setUid("uid-of-the-next");
    waits(Samples.run("sales"));
    waits(next);
    assertThat(waiting.isDue(Samples.run("sales"), NAMESPACE, CLASS)).isTrue();
    assertThat(waiting.isDue(next, NAMESPACE, CLASS)).isFalse();
    assertThat(claim.take(Samples.run("sales"), NAMESPACE, CLASS, admitted)).isEmpty();
    waits(Samples.run("sales"));
    assertThat(waiting.isDue(Samples.run("sales"), NAMESPACE, CLASS)).isFalse();
    assertThat(claim.take(next, NAMESPACE, CLASS, admitted())).contains(CLAIMED);
  }

  @Test
  void aRunThatNoPoolCouldServeDoesNotWaitForOne() {
    RunClass without =
        Samples.runClass(
            Samples.classSpec(Purpose.Run).withWarmPool(new ClassWarmPool(1, null, null, false)));
    waiting.await(Samples.run("sales"), NAMESPACE, without);
    waiting.await(Samples.run(), NAMESPACE, Samples.runClass(Samples.classSpec(Purpose.Run)));
    assertThat(pods.queue().contains(Samples.RUN_UID)).isFalse();
  }

  @Test
  void aRunThatWaitsLeavesTheQueueOnceItsClassTakesNoDatasetsIntoWarmPods() {
    RunClass without =
        Samples.runClass(
            Samples.classSpec(Purpose.Run).withWarmPool(new ClassWarmPool(1, null, null, false)));
    AnalyticsRun run = Samples.run("sales");
    waits(run);
    assertThat(pods.queue().contains(Samples.RUN_UID)).isTrue();
    waiting.await(run, NAMESPACE, without);
    assertThat(pods.queue().contains(Samples.RUN_UID)).isFalse();
  }

  private void waits(AnalyticsRun run) {
    waiting.await(run, NAMESPACE, CLASS);
  }

  private PoolTemplate template() {
    return templates.of(NAMESPACE, CLASS, Program.PYTHON);
  }

  @Test
  void aPodIsGivenOnlyInANamespaceThatIsShutIn() {
    assertThat(take(CLASS, admitted())).isPresent();
    assertThat(shutIn).containsExactly(Samples.NAMESPACE);
  }

  @Test
  void aPodStaysIdleWhileItsNamespaceCannotBeShutIn() {
    WarmClaim open =
        new WarmClaim(
            waiting,
            templates,
            pods,
            history,
            namespace -> {
              throw new KubernetesClientException("etcd is away");
            });
    assertThatThrownBy(() -> open.take(Samples.run(), NAMESPACE, CLASS, admitted()))
        .isInstanceOf(KubernetesClientException.class);
    assertThat(take(CLASS, admitted())).contains(CLAIMED);
  }

  private static RunAdmission.Admitted admitted() {
    return new RunAdmission.Admitted(List.of(), List.of(), LIMITS);
  }

  private Optional<ClaimedPod> take(RunClass runClass, RunAdmission.Admitted admitted) {
    return claim.take(Samples.run(), NAMESPACE, runClass, admitted);
  }
}
