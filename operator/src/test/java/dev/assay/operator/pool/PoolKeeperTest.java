package dev.assay.operator.pool;

import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.nothing;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.api.v1alpha1.RunClassStatus.NamespacePool;
import dev.assay.api.v1alpha1.RunClassStatus.WarmPoolStatus;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.config.OperatorConfig;
import dev.assay.operator.config.OperatorConfig.EgressCheckConfig;
import dev.assay.operator.config.OperatorConfig.RunNamespace;
import dev.assay.operator.config.OperatorConfig.WarmPoolsConfig;
import dev.assay.operator.config.UserIdRange;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.egress.NetworkCondition;
import dev.assay.operator.kubernetes.CreationOrder;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.PodQueue.Waiting;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.UserIds;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.PodState;
import dev.assay.operator.pod.PodUsers;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class PoolKeeperTest implements PoolResources {
  private static final Program PROGRAM = Program.PYTHON;
  private static final String READY = "{\"ready\":true}";
  private static final String REFUSED = "{\"egress\":\"refused\"}";
  private static final String CONNECTED = "{\"egress\":\"connected\"}";

  private final ManualClock clock = new ManualClock();
  private final FakeApiServer api = new FakeApiServer();
  private final SigningKeys keys =
      new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock));
  private final FakeRunner runner = new FakeRunner(keys.current());
  private final RunnerClient runners = new RunnerClient(clock);
  private final ManualThreads threads = new ManualThreads();
  private final EgressTarget egressTarget =
      new EgressTarget(new EgressCheckConfig("127.0.0.1", runner.port()));
  private final PoolTemplates templates =
      new PoolTemplates(
          keys, egressTarget, runClass -> new WarmPodLimits(Duration.ofMinutes(10), Map.of()));
  private final RunnerPods runnerPods = new RunnerPods(api.client(), clock);
  private final List<Pod> datasetPods = new ArrayList<>();
  private final List<Pod> pods = new ArrayList<>();
  private final Set<String> boundPods = new HashSet<>();
  private final Set<String> podsInUse = new HashSet<>();
  private final Set<String> cordoned = new HashSet<>();

  /** Whether the cache shows a created Pod at once. */
  private boolean listsCreatedPods = true;

  /** How often the cache of Pods was read. */
  private int reads;

  /** Whether the cache of classes cannot be read. */
  private boolean broken;

  private List<RunClass> runClasses = List.of(classWith(1));
  private OperatorConfig config = Samples.config();
  private final AwaitedAnswers answers = new AwaitedAnswers(clock, Duration.ofSeconds(2));
  private Pools parts = parts();
  private WarmPods warmPods = parts.warmPods();
  private PoolKeeper keeper = parts.keeper();

  private Pools parts() {
    return new Pools(
        config.warmPools(),
        Samples.served(config, api.client()),
        this,
        () -> podsInUse,
        () -> datasetPods,
        templates,
        answers,
        new ClassStatusWriter(
            api.client(),
            new NetworkCondition(List.of(), (namespace, of) -> Optional.empty(), clock),
            threads,
            clock),
        runnerPods,
        runners,
        keys,
        new EgressCheck(
            runners,
            egressTarget,
            namespace -> {},
            new EventRecorder(api.client(), threads, clock),
            clock),
        new UserIds(clock),
        namespace -> {},
        cordoned::contains,
        threads,
        clock);
  }

  @AfterEach
  void stop() {
    keeper.close();
    egressTarget.close();
    runners.close();
    runner.close();
    api.close();
  }

  @Override
  public Collection<Pod> pods() {
    reads++;
    return List.copyOf(pods);
  }

  @Override
  public Set<String> bound(Collection<Pod> warmPods) {
    return boundPods;
  }

  @Override
  public Collection<RunClass> runClasses() {
    if (broken) {
      throw new StackOverflowError("of a test");
    }
    return runClasses;
  }

  @Override
  public void podCreated(Pod pod) {
    if (listsCreatedPods) {
      pods.add(new PodBuilder(pod).withNewStatus().withPhase("Pending").endStatus().build());
    }
  }

  @Test
  void aPoolIsFilledOnceWhileItsPodsStart() {
    runClasses = List.of(classWith(2));
    reconcile();
    reconcile();
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void aPoolIsFilledOnceAlthoughTheCacheDoesNotShowItsPodsYet() {
    listsCreatedPods = false;
    runClasses = List.of(classWith(2));
    reconcile();
    reconcile();
    assertThat(creations()).isEqualTo(2);
    clock.advance(Duration.ofMinutes(1));
    reconcile();
    assertThat(creations()).as("they will not appear any more").isEqualTo(4);
  }

  @Test
  void aRoundThatDoesNotEndIsASymptom() {
    assertThat(keeper.symptoms()).as("before the first round").isEmpty();
    keeper.reconcileSafely();
    clock.advance(Duration.ofMinutes(1));
    assertThat(keeper.symptoms()).isEmpty();
    clock.advance(Duration.ofSeconds(1));
    assertThat(keeper.symptoms()).containsExactly("the warm pools are not reconciled");
    keeper.reconcileSafely();
    assertThat(keeper.symptoms()).isEmpty();
  }

  @Test
  void aClassWithoutAPoolHasNoPods() {
    runClasses = List.of(classWith(0));
    reconcile();
    assertThat(creations()).isZero();
  }

  @Test
  void aPodIsGivenToOneRunOnceItsWorkerIsReady() {
    runner.on("/v1/ready", json(503, "{\"error\":{\"code\":\"NotReady\"}}"), json(200, READY));
    reconcile();
    podRuns();
    reconcile();
    assertThat(take()).as("its worker imports").isEmpty();
    clock.advance(Duration.ofSeconds(1));
    reconcile();
    assertThat(take()).isPresent();
    assertThat(take()).isEmpty();
    reconcile();
    assertThat(take()).as("it has a job").isEmpty();
    assertThat(creations()).as("the next").isEqualTo(2);
  }

  @Test
  void aPodIsAskedOnceASecondUntilItIsIdleAndThenEachTwentySeconds() {
    runner.on("/v1/ready", json(503, "{\"error\":{\"code\":\"NotReady\"}}"), json(200, READY));
    reconcile();
    podRuns();
    for (int round = 0; round < 4; round++) {
      reconcile();
    }
    assertThat(hellos()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    reconcile();
    assertThat(hellos()).isEqualTo(2);
    for (int second = 0; second < 19; second++) {
      clock.advance(Duration.ofSeconds(1));
      reconcile();
    }
    assertThat(hellos()).as("it is idle").isEqualTo(2);
    clock.advance(Duration.ofSeconds(1));
    reconcile();
    assertThat(hellos()).isEqualTo(3);
  }

  @Test
  void aPodOfAnEarlierClassIsGivenToNoRunAndReplaced() {
    idle();
    runClasses = List.of(Samples.runClass(runClasses.getFirst().getSpec().withImage("other:1")));
    runClasses.getFirst().getMetadata().setGeneration(2L);
    assertThat(take()).isEmpty();
    reconcile();
    assertThat(deletions()).isEqualTo(1);
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void thePodsOfAFullPoolAreGivenToNoRunOnceTheKeyIsRotatedAndReplacedAFewAtATime() {
    runClasses = List.of(classWith(10));
    idlePods(10, runClasses.getFirst());
    String before = template().hash();
    keyIsReplaced();
    assertThat(template().hash()).isNotEqualTo(before);
    assertThat(take()).isEmpty();
    for (int replaced = 4; replaced <= 12; replaced += 4) {
      reconcile();
      assertThat(deletions()).isEqualTo(Math.min(replaced, 10));
      deletedPodsAreGone();
    }
    reconcile();
    assertThat(pods).as("of the new key").allMatch(pod -> isOf(template(), pod));
  }

  @Test
  void aTakenPodOutlivesTheChangeOfItsClass() {
    idle();
    assertThat(take()).isPresent();
    podsInUse.add(Samples.POD_UID);
    runClasses = List.of(Samples.runClass(runClasses.getFirst().getSpec().withImage("other:1")));
    runClasses.getFirst().getMetadata().setGeneration(2L);
    reconcile();
    assertThat(runningPodIsDeleted()).isFalse();
    runClasses = List.of();
    reconcile();
    assertThat(runningPodIsDeleted()).isFalse();
  }

  @Test
  void aPodOfADeletedClassOfTheSameNameIsGivenToNoRunAndReplaced() {
    idle();
    runClasses = List.of(classWith(1));
    runClasses.getFirst().getMetadata().setUid("uid-of-the-next");
    assertThat(take()).as("before the next round").isEmpty();
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(deletions()).isEqualTo(1);
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void aPodThatARunIsBoundToIsNeitherAskedNorGivenNorDeleted() {
    idle();
    leaderChanges();
    boundPods.add(Samples.POD_UID);
    int before = hellos();
    reconcile();
    assertThat(creations()).as("it does not count").isEqualTo(2);
    clock.advance(PoolTemplate.IDLE_LIFE);
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(hellos()).isEqualTo(before);
    assertThat(runningPodIsDeleted()).isFalse();
  }

  @Test
  void anIdlePodThatAnotherLeaderHasBoundIsNotGivenToARun() {
    idle();
    boundPods.add(Samples.POD_UID);
    reconcile();
    assertThat(take()).isEmpty();
  }

  @Test
  void aPodThatHasAJobOfAnotherLeaderIsNeitherGivenNorDeletedAtOnce() {
    runner.on("/v1/ready", json(200, READY));
    reconcile();
    podRuns();
    runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID, "Staged")));
    reconcile();
    assertThat(take()).isEmpty();
    reconcile();
    assertThat(creations()).as("another Pod instead").isEqualTo(2);
    runClasses = List.of(classWith(0));
    reconcile();
    assertThat(runningPodIsDeleted()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Staged", "Started", "Finished"})
  void aPodWithTheJobOfNoRunIsDeletedWhenNoLeaderCanBeAboutToBindOne(String state) {
    runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID, state)));
    reconcile();
    podRuns();
    reconcile();
    reconcile();
    clock.advance(Duration.ofSeconds(119));
    reconcile();
    assertThat(runningPodIsDeleted()).isFalse();
    clock.advance(Duration.ofSeconds(1));
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(runner.ops()).containsExactly("refuse");
  }

  @Test
  void aPodThatIsStartedAtTheEndOfThatTimeIsLeftToItsRunForAsLongAgain() {
    runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID, "Started")));
    runner.on("/v1/refuse", FakeRunner.refusal(409, "Started"));
    reconcile();
    podRuns();
    reconcile();
    reconcile();
    for (boolean isOver : new boolean[] {false, true}) {
      clock.advance(Duration.ofMinutes(2));
      reconcile();
      assertThat(runningPodIsDeleted()).isEqualTo(isOver);
    }
  }

  @Test
  void aPodWhoseRunnerCannotRefuseIsOfNoUseToItsPool() {
    String old = FakeRunner.helloOf(Samples.POD_UID).replace("[\"refuse\"]", "[\"datasets\"]");
    runner.on("/v1/hello", json(200, old));
    reconcile();
    podRuns();
    reconcile();
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(runner.ops()).as("it does not know the word").isEmpty();
    int before = creations();
    clock.advance(Duration.ofMinutes(30));
    reconcile();
    reconcile();
    assertThat(creations()).as("the next would not be better").isEqualTo(before);
  }

  @Test
  void aTakenPodThatNoRunHasIsDeleted() {
    idle();
    assertThat(take()).isPresent();
    podsInUse.add(Samples.POD_UID);
    reconcile();
    clock.advance(Duration.ofMinutes(30));
    reconcile();
    assertThat(runningPodIsDeleted()).as("an execution has it").isFalse();
    podsInUse.clear();
    reconcile();
    clock.advance(Duration.ofMinutes(2));
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
  }

  @Test
  void theGraceOfATakenPodBeginsWhenItsRunIsGone() {
    idle();
    assertThat(take()).isPresent();
    reconcile();
    podsInUse.add(Samples.POD_UID);
    clock.advance(Duration.ofMinutes(30));
    reconcile();
    podsInUse.clear();
    reconcile();
    assertThat(runningPodIsDeleted()).isFalse();
  }

  @Test
  void aPodIsGivenToARunOnceItsNetworkIsClosed() {
    startsWith(CONNECTED, REFUSED);
    reconcile();
    assertThat(take()).as("a plugin takes a moment").isEmpty();
    assertThat(egressEvents()).isZero();
    for (int refused = 1; refused <= 3; refused++) {
      assertThat(take()).as("a refusal may have been lost packets").isEmpty();
      clock.advance(Duration.ofSeconds(1));
      reconcile();
    }
    assertThat(take()).isPresent();
  }

  @Test
  void anIdlePodWhoseNetworkOpensIsGivenToNoRunAndStays() {
    startsWith(REFUSED, CONNECTED);
    reconcile();
    assertThat(IdlePods.isIdle(warmPods, Samples.POD_UID)).isTrue();
    clock.advance(Duration.ofSeconds(20));
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(egressEvents()).isEqualTo(1);
    for (int minute = 0; minute < 15; minute++) {
      clock.advance(Duration.ofMinutes(1));
      reconcile();
    }
    assertThat(creations()).as("the next one would be as open").isEqualTo(1);
    assertThat(deletions()).isZero();
    runner.on("/v1/egress", json(200, REFUSED));
    clock.advance(Duration.ofSeconds(20));
    reconcile();
    assertThat(take()).isEmpty();
    for (int second = 0; second < 2; second++) {
      clock.advance(Duration.ofSeconds(1));
      reconcile();
    }
    assertThat(take()).isPresent();
  }

  @Test
  void anIdlePodThatWasNotTestedForAMinuteIsGivenToNoRunUntilItIs() {
    startsWith(REFUSED);
    reconcile();
    clock.advance(WarmPods.MAX_UNCHECKED.plusMillis(1));
    assertThat(take()).isEmpty();
    reconcile();
    assertThat(take()).isPresent();
  }

  @Test
  void afterAChangeOfItsNetworkPoliciesAnIdlePodIsTestedAgainBeforeARunIsGivenIt() {
    startsWith(REFUSED);
    reconcile();
    keeper.networkPoliciesChanged(Samples.NAMESPACE);
    assertThat(take()).isEmpty();
    clock.advance(EgressCheck.GRACE.minusMillis(1));
    reconcile();
    assertThat(take()).as("the plugin may not have applied the change before").isEmpty();
    clock.advance(Duration.ofSeconds(1));
    reconcile();
    assertThat(take()).isPresent();
  }

  @Test
  void aTestThatBeganBeforeTheNetworkPoliciesWereChangedDoesNotCount() {
    startsWith(REFUSED);
    runner.on(
        "/v1/egress",
        FakeRunner.meanwhile(
                () -> {
                  keeper.networkPoliciesChanged(Samples.NAMESPACE);
                  clock.advance(EgressCheck.GRACE.plusSeconds(1));
                })
            .then(json(200, REFUSED)));
    reconcile();
    assertThat(take()).isEmpty();
  }

  @Test
  void aChangeOfNetworkPoliciesConcernsNoOtherNamespaceAndNoPodThatNeedsNoTest() {
    runClasses = List.of(classWith(2));
    idlePods(1, runClasses.getFirst());
    startsWith(REFUSED);
    reconcile();
    keeper.networkPoliciesChanged("another");
    assertThat(warmPods.countIdle(template().key())).isEqualTo(2);
    keeper.networkPoliciesChanged(Samples.NAMESPACE);
    assertThat(IdlePods.isIdle(warmPods, Samples.POD_UID)).isFalse();
    assertThat(warmPods.countIdle(template().key())).isEqualTo(1);
  }

  @Test
  void anOpenPodIsReplacedWhereAnotherOfItsNamespaceIsClosed() {
    runClasses = List.of(classWith(2));
    idlePods(1, runClasses.getFirst());
    startsWith(CONNECTED);
    reconcile();
    clock.advance(PoolCensus.WITHHELD.minusMillis(1));
    reconcile();
    assertThat(runningPodIsDeleted()).isFalse();
    clock.advance(Duration.ofMillis(1));
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(deletions()).isEqualTo(1);
    assertThat(creations()).isEqualTo(2);
  }

  /** A test that takes long says what was at its beginning. */
  @Test
  void theAgeOfATestCountsFromItsBeginning() {
    startsWith(REFUSED);
    runner.on(
        "/v1/egress",
        FakeRunner.meanwhile(() -> clock.advance(Duration.ofSeconds(59))).then(json(200, REFUSED)));
    reconcile();
    clock.advance(Duration.ofSeconds(2));
    assertThat(take()).isEmpty();
  }

  @Test
  void anOpenPodIsAskedLessOftenAfterAWhile() {
    startsWith(CONNECTED);
    for (int second = 0; second < 40; second++) {
      reconcile();
      clock.advance(Duration.ofSeconds(1));
    }
    assertThat(runner.paths()).filteredOn("/v1/egress"::equals).hasSize(11);
    assertThat(egressEvents()).isEqualTo(1);
  }

  @Test
  void anOpenPodCountsAsStartingAndIsRetiredAsAnIdleOne() {
    runClasses = List.of(api.put(classWith(new ClassWarmPool(0, 1, 60, null))));
    called("run-1", false);
    startsWith(CONNECTED);
    reconcile();
    clock.advance(Duration.ofSeconds(5));
    reconcile();
    WarmPoolStatus status = requireNonNull(requireNonNull(classAsWritten().getStatus()).warmPool());
    assertThat(status.ready()).isZero();
    assertThat(status.starting()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(60));
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
  }

  @Test
  void aPoolWhosePodStaysOpenSaysSoInTheStatusOfItsClassUntilItIsClosed() {
    runClasses = List.of(api.put(classWith(1)));
    startsWith(CONNECTED);
    podIsOnNode("node-1");
    reconcile();
    assertThat(poolAsWritten().message()).as("a plugin takes a moment").isNull();
    clock.advance(Duration.ofSeconds(5));
    reconcile();
    assertThat(poolAsWritten().message())
        .isEqualTo(
            "Pods withheld from runs: 1, on node-1. Their network is open: see the Events"
                + " EgressNotRefused");
    runner.on("/v1/egress", json(200, REFUSED));
    for (int second = 0; second < 30; second++) {
      clock.advance(Duration.ofSeconds(1));
      reconcile();
    }
    assertThat(poolAsWritten().message()).isNull();
    assertThat(poolAsWritten().ready()).isEqualTo(1);
  }

  private NamespacePool poolAsWritten() {
    RunClassStatus status = requireNonNull(classAsWritten().getStatus());
    return requireNonNull(status.warmPool()).pools().getFirst();
  }

  /** The Pod that was created last runs, is ready, and says in turn what its network is. */
  private void startsWith(String... egress) {
    egressTarget.resolve();
    runner.on("/v1/hello", json(200, FakeRunner.helloWith("egress")));
    runner.on("/v1/ready", json(200, READY));
    runner.on(
        "/v1/egress",
        Arrays.stream(egress).map(answer -> json(200, answer)).toArray(FakeRunner.Answer[]::new));
    reconcile();
    podRuns();
    podBecomes(pod -> new EgressAddress("127.0.0.1", runner.port()).writtenTo(pod));
  }

  private long egressEvents() {
    threads.runAll();
    return api.requests("POST", "/events").stream()
        .filter(request -> request.body().path("reason").asText().equals("EgressNotRefused"))
        .count();
  }

  @Test
  void aPodWhoseAddressBelongsToAnotherPodIsGivenToNoRun() {
    idle();
    runner.on("/v1/hello", json(200, FakeRunner.helloOf("another-pod")));
    clock.advance(Duration.ofSeconds(20));
    reconcile();
    assertThat(take()).isEmpty();
  }

  /** As somebody may create one who may create Pods in the namespace. */
  @ParameterizedTest
  @ValueSource(strings = {"no port", "no address"})
  void aPodWithoutAReadableAddressAnswersNothingAndIsDeleted(String lacking) {
    idle();
    podBecomes(
        pod ->
            lacking.equals("no port")
                ? new PodBuilder(pod)
                    .editSpec()
                    .editFirstContainer()
                    .withPorts(List.of())
                    .endContainer()
                    .endSpec()
                    .build()
                : new PodBuilder(pod).editStatus().withPodIP("[not one").endStatus().build());
    leaderChanges();
    reconcile();
    assertThat(take()).isEmpty();
    runClasses = List.of(classWith(0));
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
  }

  @Test
  void aPodWhosePortIsClosedIsGivenToNoRun() {
    idle();
    runner.close();
    clock.advance(Duration.ofSeconds(20));
    reconcile();
    assertThat(take()).isEmpty();
  }

  @Test
  void anIdlePodThatMissesTwoChecksIsDeletedAndOneThatMissesOneIsNot() {
    idle();
    String hello = FakeRunner.helloOf(Samples.POD_UID);
    runner.on("/v1/hello", nothing(), json(200, hello), nothing());
    clock.advance(Duration.ofSeconds(20));
    reconcile();
    clock.advance(Duration.ofSeconds(1));
    reconcile();
    assertThat(IdlePods.isIdle(warmPods, Samples.POD_UID)).isTrue();
    clock.advance(Duration.ofSeconds(20));
    reconcile();
    clock.advance(Duration.ofSeconds(1));
    reconcile();
    assertThat(runningPodIsDeleted()).isFalse();
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(creations()).as("the pool pauses").isEqualTo(1);
  }

  @Test
  void aPodThatIsNotReadyForTenMinutesIsDeletedAndThePoolPauses() {
    runner.on("/v1/ready", json(503, "{\"error\":{\"code\":\"NotReady\"}}"));
    reconcile();
    podRuns();
    reconcile();
    clock.advance(Duration.ofMinutes(10).minusSeconds(1));
    reconcile();
    assertThat(deletions()).isZero();
    clock.advance(Duration.ofSeconds(1));
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(creations()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(5));
    reconcile();
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void aNewLeaderGivesOldPodsTimeToAnswer() {
    idle();
    clock.advance(Duration.ofMinutes(30));
    leaderChanges();
    reconcile();
    reconcile();
    assertThat(deletions()).isZero();
    assertThat(take()).isPresent();
  }

  @Test
  void aPodThatFailsIsReplacedMoreAndMoreSlowly() {
    reconcile();
    for (int seconds : new int[] {5, 10, 20, 40, 80, 120, 120}) {
      int before = creations();
      podFails();
      reconcile();
      reconcile();
      clock.advance(Duration.ofSeconds(seconds - 1));
      reconcile();
      assertThat(creations()).as("within %d s", seconds).isEqualTo(before);
      clock.advance(Duration.ofSeconds(1));
      reconcile();
      assertThat(creations()).as("after %d s", seconds).isEqualTo(before + 1);
    }
    assertThat(deletions()).as("each once").isEqualTo(7);
  }

  /** Otherwise what is remembered of classes that are gone would grow for ever. */
  @Test
  void aClassThatIsCreatedAnewDoesNotPauseForPodsOfTheOneBefore() {
    reconcile();
    podFails();
    reconcile();
    assertThat(creations()).as("the pool pauses").isEqualTo(1);
    RunClass runClass = runClasses.getFirst();
    runClasses = List.of();
    reconcile();
    runClasses = List.of(runClass);
    reconcile();
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void aPodWhoseWorkerHasEndedIsDeleted() {
    idle();
    podBecomes(
        pod ->
            new PodBuilder(pod)
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
                .build());
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(take()).isEmpty();
  }

  @Test
  void aPodThatWasIdleForLongIsReplaced() {
    idle();
    clock.advance(PoolTemplate.IDLE_LIFE);
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(deletions()).isEqualTo(1);
  }

  @Test
  void anAgingPodIsGivenToRunsUntilItsSuccessorIsIdle() {
    idle();
    clock.advance(PoolTemplate.IDLE_LIFE.minus(PoolTemplate.SUCCESSION));
    reconcile();
    reconcile();
    assertThat(creations()).isEqualTo(2);
    assertThat(IdlePods.isIdle(warmPods, Samples.POD_UID)).isTrue();
    assertThat(deletions()).isZero();
    pods.removeLast();
    idlePods(1, runClasses.getFirst());
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
    reconcile();
    assertThat(creations()).isEqualTo(2);
    assertThat(take().map(claimed -> claimed.pod().getMetadata().getUid()))
        .hasValueSatisfying(uid -> assertThat(uid).isNotEqualTo(Samples.POD_UID));
  }

  @Test
  void anAgingPodThatGetsNoSuccessorGoesWhenItIsTooOld() {
    idle();
    api.refuse("POST", "/pods", 403, "Forbidden", "exceeded quota");
    clock.advance(PoolTemplate.IDLE_LIFE.minus(PoolTemplate.SUCCESSION));
    reconcile();
    clock.advance(PoolTemplate.SUCCESSION.minusMillis(1));
    reconcile();
    assertThat(IdlePods.isIdle(warmPods, Samples.POD_UID)).isTrue();
    clock.advance(Duration.ofMillis(1));
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
  }

  @Test
  void aPodThatIsOneTooManyIsDeletedOnce() {
    runClasses = List.of(classWith(2));
    idle();
    runClasses = List.of(classWith(1));
    reconcile();
    assertThat(deletions()).as("the one that has no node yet").isEqualTo(1);
    assertThat(runningPodIsDeleted()).isFalse();
    runClasses = List.of(classWith(0));
    reconcile();
    reconcile();
    assertThat(deletions()).isEqualTo(2);
  }

  @Test
  void aDeletionThatFailedIsTriedAgainButNotInEachRound() {
    idle();
    api.refuse("DELETE", "/pods", 500, "InternalError", "etcd is away");
    runClasses = List.of(classWith(0));
    reconcile();
    reconcile();
    assertThat(deletions()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(10));
    reconcile();
    assertThat(deletions()).isEqualTo(2);
  }

  @Test
  void aRejectedPodIsRequestedAgainLater() {
    api.refuse("POST", "/pods", 403, "Forbidden", "exceeded quota");
    reconcile();
    reconcile();
    assertThat(creations()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(10));
    reconcile();
    assertThat(creations()).isEqualTo(2);
  }

  /** Each attempt of those would be one more Pod than the pool wants. */
  @ParameterizedTest
  @ValueSource(ints = {500, 503, 504})
  void aPodThatMayHaveBeenCreatedIsNotRequestedAgainForAMinute(int status) {
    api.refuse("POST", "/pods", status, "Timeout", "the request may have been handled");
    reconcile();
    clock.advance(Duration.ofSeconds(59));
    reconcile();
    assertThat(creations()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    reconcile();
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void podsOfNoClassInOneNamespaceDelayNoRemovalInAnother() {
    reconcile();
    runClasses = List.of();
    for (int number = 0; number < 8; number++) {
      pods.addFirst(orphan("team-b", "forged-" + number));
    }
    reconcile();
    assertThat(api.requests("DELETE", "/namespaces/team-b/pods/")).hasSize(PoolPlanner.MAX_LEAVING);
    assertThat(api.requests("DELETE", "/namespaces/" + Samples.NAMESPACE + "/pods/")).hasSize(1);
  }

  private static Pod orphan(String namespace, String name) {
    return new PodBuilder(Samples.warm(Samples.runningPod(7333)))
        .editMetadata()
        .withNamespace(namespace)
        .withName(name)
        .withUid(name)
        .withOwnerReferences(List.of())
        .endMetadata()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  /** One pair of ids is enough for all attempts; after a timeout the Pod may have it. */
  @ParameterizedTest
  @CsvSource({"403, 3", "422, 3", "429, 3", "504, 1", "500, 1"})
  void aRejectedPodKeepsNoUserIds(int status, int attempts) {
    config = Samples.config(new UserIdRange(20_000, 20_001));
    leaderChanges();
    api.refuse("POST", "/pods", status, "Refused", "not now");
    for (int attempt = 0; attempt < 3; attempt++) {
      reconcile();
      clock.advance(Duration.ofMinutes(1));
    }
    assertThat(creations()).isEqualTo(attempts);
  }

  @Test
  void aPodThatSharesUserIdsWithAnOlderOneIsNeverGivenToARun() {
    runner.on("/v1/ready", json(200, READY));
    reconcile();
    podRuns();
    pods.addFirst(
        new PodBuilder(Samples.runningPod(7333))
            .editMetadata()
            .withUid("older")
            .withCreationTimestamp("2026-10-01T10:00:00Z")
            .endMetadata()
            .build());
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(creations()).isEqualTo(2);
  }

  /** Otherwise a round takes longer than its interval in a namespace with thousands of Pods. */
  @Test
  void aRoundLooksThroughAllPodsOnceHoweverManyStart() {
    runClasses = List.of(classWith(4));
    reconcile();
    assertThat(creations()).isEqualTo(4);
    reads = 0;
    reconcile();
    assertThat(reads).isEqualTo(1);
  }

  /** They hold room for ten minutes otherwise, where they find no node or image. */
  @Test
  void podsThatStartGiveWayToARunThatWaitsForRoomBeforeIdleOnes() {
    runClasses = List.of(classWith(8));
    idlePods(4, runClasses.getFirst());
    reconcile();
    assertThat(creations()).isEqualTo(4);
    Pod scheduled = pods.remove(4);
    pods.add(new PodBuilder(scheduled).editSpec().withNodeName("node-1").endSpec().build());
    List<String> unscheduled =
        pods.subList(4, 7).stream().map(pod -> pod.getMetadata().getName()).toList();
    aRunWaitsForRoom();
    reconcile();
    assertThat(deletedNames())
        .containsExactly(
            unscheduled.get(0),
            unscheduled.get(1),
            unscheduled.get(2),
            scheduled.getMetadata().getName());
    deletedPodsAreGone();
    reconcile();
    clock.advance(Duration.ofSeconds(2));
    reconcile();
    assertThat(deletions()).as("then the idle ones").isEqualTo(8);
  }

  /** It gets one of these sooner than it would get a Pod of its own. */
  @Test
  void podsThatRunsOfTheirPoolWaitForStayWhileTheyMayBeReadySoon() {
    runClasses = List.of(classWith(4));
    reconcile();
    assertThat(creations()).isEqualTo(4);
    pods.replaceAll(pod -> new PodBuilder(pod).editSpec().withNodeName("node-1").endSpec().build());
    aRunWaitsForRoom();
    waitsForWarmPod("run-1");
    waitsForWarmPod("run-2");
    reconcile();
    assertThat(deletions()).as("the others").isEqualTo(2);
    deletedPodsAreGone();
    reconcile();
    clock.advance(PoolRoom.SOON_READY.minusMillis(1));
    reconcile();
    assertThat(deletions()).isEqualTo(2);
    clock.advance(Duration.ofMillis(1));
    reconcile();
    assertThat(deletions()).as("they do not become ready").isEqualTo(4);
  }

  @Test
  void idlePodsThatRunsOfTheirPoolWaitForStayAndOpenOnesDoNot() {
    runClasses = List.of(classWith(3));
    idlePods(2, runClasses.getFirst());
    startsWith(CONNECTED);
    reconcile();
    aRunWaitsForRoom();
    waitsForWarmPod("run-1");
    reconcile();
    assertThat(deletions()).isEqualTo(2);
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(take()).isPresent();
  }

  @Test
  void eachRoundWakesTheRunsThatWaitForAPodWhichIsIdle() {
    idle();
    List<String> woken = new ArrayList<>();
    waitsForWarmPod("run-1", () -> woken.add("run-1"));
    woken.clear();
    reconcile();
    assertThat(woken).containsExactly("run-1");
  }

  private void waitsForWarmPod(String uid) {
    waitsForWarmPod(uid, () -> {});
  }

  private void waitsForWarmPod(String uid, Runnable wake) {
    warmPods
        .queue()
        .add(
            template().key(),
            new Waiting(uid, "me", new CreationOrder(clock.instant(), 0), () -> true, wake));
  }

  private List<String> deletedNames() {
    return api.requests("DELETE", "/pods/").stream()
        .map(request -> request.path().substring(request.path().lastIndexOf('/') + 1))
        .toList();
  }

  /** Returns what waits, by UID. */
  private Set<String> aRunWaitsForRoom() {
    Set<String> waiting = new HashSet<>(Set.of("run-uid"));
    runnerPods
        .queue()
        .refused(
            Samples.NAMESPACE,
            new Waiting(
                "run-uid",
                "",
                new CreationOrder(clock.instant(), 0),
                () -> waiting.contains("run-uid"),
                () -> {}),
            "exceeded quota");
    return waiting;
  }

  @Test
  void whileARunWaitsForRoomInTheQuotaItsNamespaceHasNoIdlePods() {
    idle();
    Set<String> waiting = aRunWaitsForRoom();
    reconcile();
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(creations()).isEqualTo(1);
    waiting.clear();
    reconcile();
    assertThat(creations()).as("or it would be stopped and started without end").isEqualTo(1);
    clock.advance(PoolRoom.FIRST_HOLD);
    reconcile();
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void aRunThatFindsNoUserIdsGetsThoseOfIdlePods() {
    idle();
    parts.room().userIdsAreMissing(Samples.NAMESPACE);
    reconcile();
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
    clock.advance(PoolRoom.FIRST_HOLD.minusMillis(1));
    reconcile();
    assertThat(creations()).isEqualTo(1);
    clock.advance(Duration.ofMillis(1));
    reconcile();
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void aRunThatFindsNoUserIdsLeavesThePodsOfOtherNamespacesAlone() {
    idle();
    parts.room().userIdsAreMissing("another-namespace");
    reconcile();
    assertThat(deletions()).isZero();
  }

  @Test
  void aPoolPausesWhileNoUserIdsAreFree() {
    config = Samples.config(new UserIdRange(20_000, 20_001));
    runClasses = List.of(classWith(2));
    leaderChanges();
    reconcile();
    assertThat(creations()).isEqualTo(1);
    pods.clear();
    reconcile();
    assertThat(creations()).as("not before the pause is over").isEqualTo(1);
    clock.advance(Duration.ofSeconds(10));
    reconcile();
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void aClassThatCannotBeUsedStopsNoOtherAndLosesNoPods() {
    idle();
    RunClass broken =
        Samples.runClass(
            Samples.classSpec(Purpose.Run, List.of("*"), null, "not a quantity")
                .withWarmPool(new ClassWarmPool(1, null, null, null)));
    broken.getMetadata().setGeneration(2L);
    RunClass other = classWith(1);
    other.getMetadata().setName("other");
    other.getMetadata().setUid("other-uid");
    runClasses = List.of(broken, other);
    reconcile();
    assertThat(creations()).as("that of the other class").isEqualTo(2);
    assertThat(deletions()).isZero();
  }

  @Test
  void aPoolThatScalesToZeroHasPodsFromTheFirstCallUntilTheIdleTime() {
    runClasses = List.of(classWith(new ClassWarmPool(0, 1, 60, null)));
    reconcile();
    assertThat(creations()).isZero();
    called("run-1", false);
    idle();
    assertThat(creations()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(59));
    reconcile();
    assertThat(deletions()).isZero();
    clock.advance(Duration.ofSeconds(1));
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
    clock.advance(Duration.ofSeconds(10));
    reconcile();
    assertThat(creations()).isEqualTo(1);
  }

  @Test
  void aPodThatWaitsForANodeIsRemovedOnceItIsNotWanted() {
    reconcile();
    assertThat(creations()).isEqualTo(1);
    runClasses = List.of(classWith(0));
    reconcile();
    assertThat(deletions()).isEqualTo(1);
  }

  @Test
  void fortyNamespacesWithFourClassesAndNoCallsCostNoPod() {
    OperatorConfig one = Samples.config();
    config =
        config(
            IntStream.range(0, 40)
                .mapToObj(number -> new RunNamespace("team-" + number, "snapshots", null, null))
                .toList(),
            one.warmPools());
    runClasses =
        IntStream.range(0, 4)
            .mapToObj(number -> named("class-" + number, new ClassWarmPool(0, 10, null, null)))
            .toList();
    leaderChanges();
    reconcile();
    assertThat(creations()).isZero();
  }

  @Test
  void thePodOfAShortRunIsReplacedOnceItsCallerIsAnswered() {
    takeForRun();
    answers.end(Samples.RUN_UID);
    clock.advance(AwaitedAnswers.UNTIL_ANSWERED.minusMillis(1));
    reconcile();
    assertThat(creations()).isEqualTo(1);
    clock.advance(Duration.ofMillis(1));
    reconcile();
    assertThat(creations()).isEqualTo(2);
  }

  @Test
  void runsThatComeWithoutAGapDoNotKeepThePoolsEmpty() {
    takeForRun();
    clock.advance(AwaitedAnswers.LIMIT.minusMillis(1));
    reconcile();
    assertThat(creations()).isEqualTo(1);
    clock.advance(Duration.ofMillis(1));
    reconcile();
    assertThat(creations()).isEqualTo(2);
  }

  private void takeForRun() {
    idle();
    assertThat(take()).isPresent();
    answers.begin(Samples.RUN_UID);
    podsInUse.add(Samples.POD_UID);
    boundPods.add(Samples.POD_UID);
    reconcile();
  }

  @Test
  void thePodsOfAllPoolsTakeNoMoreMemoryThanTheLimit() {
    config =
        config(
            Samples.config().namespaces(),
            new WarmPoolsConfig(3 * template().memoryBytes() + 1, 1L << 40, false));
    runClasses =
        List.of(
            named("first", new ClassWarmPool(2, null, null, null)),
            named("second", new ClassWarmPool(2, null, null, null)));
    leaderChanges();
    reconcile();
    reconcile();
    assertThat(creations()).isEqualTo(3);
  }

  @Test
  void idlePodsGiveWayToARunThatFindsNoNodeAFewAtATime() {
    runClasses = List.of(classWith(10));
    idlePods(10, runClasses.getFirst());
    pods.add(withoutNode());
    reconcile();
    reconcile();
    assertThat(deletions()).isEqualTo(PoolPlanner.MAX_LEAVING);
    deletedPodsAreGone();
    reconcile();
    assertThat(deletions()).as("the run may get their room").isEqualTo(PoolPlanner.MAX_LEAVING);
    clock.advance(Duration.ofSeconds(2));
    reconcile();
    assertThat(deletions()).isEqualTo(2 * PoolPlanner.MAX_LEAVING);
    pods.removeIf(pod -> pod.getMetadata().getUid().equals("without-node"));
    deletedPodsAreGone();
    clock.advance(Duration.ofSeconds(2));
    reconcile();
    assertThat(deletions()).as("it has its node").isEqualTo(2 * PoolPlanner.MAX_LEAVING);
    assertThat(creations()).isZero();
    clock.advance(PoolRoom.FIRST_HOLD);
    reconcile();
    assertThat(creations()).isEqualTo(StartLimit.MIN);
  }

  @Test
  void aPodThatFitsNoNodeDoesNotEmptyThePools() {
    runClasses = List.of(classWith(10));
    idlePods(10, runClasses.getFirst());
    pods.add(withoutNode());
    clock.advance(PodState.FITS_WITHIN);
    reconcile();
    reconcile();
    assertThat(deletions()).isZero();
    pods.removeFirst();
    reconcile();
    assertThat(creations()).as("room that is free is for it").isZero();
  }

  @Test
  void anIdlePodGivesWayToADatasetThatFindsNoNode() {
    idle();
    datasetPods.add(withoutNode());
    reconcile();
    reconcile();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(creations()).isEqualTo(1);
  }

  @Test
  void thePodsOfTheLeastUsedPoolGiveWayFirst() {
    RunClass unused = named("unused", new ClassWarmPool(4, null, null, null));
    runClasses = List.of(classWith(4), unused);
    called("run-1", true);
    idlePods(4, runClasses.getFirst());
    idlePods(4, unused);
    pods.add(withoutNode());
    reconcile();
    assertThat(api.requests("DELETE", "/pods"))
        .hasSize(4)
        .allSatisfy(request -> assertThat(request.path()).contains("/unused-"));
  }

  @Test
  void podsOfAnEarlierTemplateAreReplacedAFewAtATime() {
    runClasses = List.of(classWith(10));
    idlePods(10, runClasses.getFirst());
    runClasses = List.of(Samples.runClass(runClasses.getFirst().getSpec().withImage("other:1")));
    runClasses.getFirst().getMetadata().setGeneration(2L);
    reconcile();
    reconcile();
    assertThat(deletions()).isEqualTo(PoolPlanner.MAX_LEAVING);
    assertThat(take()).as("no run gets one of the others").isEmpty();
    deletedPodsAreGone();
    reconcile();
    assertThat(deletions()).isEqualTo(2 * PoolPlanner.MAX_LEAVING);
  }

  @Test
  void aPodThatWillBeEvictedIsNotDeletedWhileItHasAJob() {
    idle();
    podHas(new PodConditionBuilder().withType("DisruptionTarget").withStatus("True").build());
    runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID, "Started")));
    reconcile();
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(runningPodIsDeleted()).as("another leader may have bound its run").isFalse();
  }

  @Test
  void anIdlePodThatIsEvictedIsReplacedAtOnce() {
    idle();
    podHas(new PodConditionBuilder().withType("DisruptionTarget").withStatus("True").build());
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(creations()).as("the pool does not pause").isEqualTo(2);
  }

  @Test
  void anIdlePodOnANodeThatIsNotReadyIsReplacedAndOneThatBecomesReadyIsNot() {
    idle();
    PodCondition notReady = new PodConditionBuilder().withType("Ready").withStatus("False").build();
    podHas(notReady);
    reconcile();
    assertThat(deletions()).as("its containers start").isZero();
    podHas(
        notReady, new PodConditionBuilder().withType("ContainersReady").withStatus("True").build());
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(runningPodIsDeleted()).isTrue();
  }

  @Test
  void anIdlePodOnACordonedNodeIsReplacedAtOnce() {
    idle();
    podIsOnNode("node-1");
    reconcile();
    assertThat(IdlePods.isIdle(warmPods, Samples.POD_UID)).isTrue();
    cordoned.add("node-1");
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(runningPodIsDeleted()).isTrue();
    assertThat(creations()).as("the pool does not pause").isEqualTo(2);
  }

  @Test
  void aPodThatStartsOnACordonedNodeIsReplacedAndOneWithoutANodeWaits() {
    runClasses = List.of(classWith(2));
    cordoned.add("node-1");
    reconcile();
    podIsOnNode("node-1");
    reconcile();
    assertThat(deletions()).isEqualTo(1);
    assertThat(creations()).isEqualTo(3);
    deletedPodsAreGone();
    reconcile();
    assertThat(creations()).as("they wait for a node").isEqualTo(3);
  }

  @Test
  void aPodOnACordonedNodeThatHasAJobIsLeftToItsRun() {
    idle();
    podIsOnNode("node-1");
    cordoned.add("node-1");
    runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID, "Started")));
    reconcile();
    reconcile();
    assertThat(take()).isEmpty();
    assertThat(runningPodIsDeleted()).as("another leader may have bound its run").isFalse();
  }

  @Test
  void aTakenPodOnACordonedNodeIsLeftToItsRun() {
    idle();
    podIsOnNode("node-1");
    assertThat(take()).isPresent();
    podsInUse.add(Samples.POD_UID);
    cordoned.add("node-1");
    reconcile();
    assertThat(runningPodIsDeleted()).isFalse();
  }

  /** Otherwise the next one would come to the same node, and go again. */
  @Test
  void aPodThatToleratesCordonedNodesStays() {
    idle();
    podBecomes(
        pod ->
            new PodBuilder(pod)
                .editSpec()
                .withNodeName("node-1")
                .addNewToleration()
                .withOperator("Exists")
                .endToleration()
                .endSpec()
                .build());
    cordoned.add("node-1");
    reconcile();
    assertThat(IdlePods.isIdle(warmPods, Samples.POD_UID)).isTrue();
    assertThat(deletions()).isZero();
  }

  @Test
  void theStatusOfAClassSaysWhatItsPoolsHaveAndIsNotWrittenOften() {
    runClasses = List.of(api.put(classWith(new ClassWarmPool(0, 1, 60, null))));
    called("run-1", false);
    idle();
    assertThat(statusWrites()).isEqualTo(1);
    runClasses = List.of(classAsWritten());
    called("run-2", true);
    clock.advance(Duration.ofMillis(4999));
    reconcile();
    assertThat(statusWrites()).isEqualTo(1);
    clock.advance(Duration.ofMillis(1));
    reconcile();
    assertThat(statusWrites()).isEqualTo(2);
    RunClass written = classAsWritten();
    assertThat(requireNonNull(written.getStatus()).warmPool())
        .isEqualTo(
            new WarmPoolStatus(
                1,
                0,
                1,
                1,
                List.of(new NamespacePool(Samples.NAMESPACE, "python", 1, 0, 1, 1, null))));
    runClasses = List.of(written);
    clock.advance(Duration.ofSeconds(5));
    reconcile();
    assertThat(statusWrites()).as("nothing has changed").isEqualTo(2);
  }

  @Test
  void theCountsOfAnEarlierLeaderAreKeptAndTheImageOfTheClassToo() {
    RunClass known = classWith(1);
    known.setStatus(
        new RunClassStatus(
            "image",
            "sha256:1",
            "2026-01-01T00:00:00Z",
            PoolStatus.of(
                    List.of(new NamespacePool(Samples.NAMESPACE, "python", 1, 0, 30, 4, null)))
                .orElseThrow(),
            null));
    runClasses = List.of(api.put(known));
    called("run-1", true);
    reconcile();
    RunClassStatus written = requireNonNull(classAsWritten().getStatus());
    assertThat(requireNonNull(written.warmPool()).hits()).isEqualTo(31);
    assertThat(requireNonNull(written.warmPool()).misses()).isEqualTo(4);
    assertThat(written.imageID()).isEqualTo("sha256:1");
  }

  @Test
  void anErrorEndsNothingButTheRound() {
    broken = true;
    keeper.reconcileSafely();
    assertThat(creations()).isZero();
    broken = false;
    keeper.reconcileSafely();
    assertThat(creations()).isEqualTo(1);
  }

  private void idle() {
    runner.on("/v1/ready", json(200, READY));
    reconcile();
    podRuns();
    reconcile();
    assertThat(IdlePods.isIdle(warmPods, Samples.POD_UID)).isTrue();
  }

  private void reconcile() {
    keeper.reconcile();
    threads.runAll();
  }

  /** Another process leads, which knows only what the caches have. */
  private void leaderChanges() {
    keeper.close();
    parts = parts();
    warmPods = parts.warmPods();
    keeper = parts.keeper();
  }

  /** The Pod that was created last is that of the runner. */
  private void podRuns() {
    podBecomes(
        created ->
            api.put(
                new PodBuilder(Samples.trusting(Samples.runningPod(runner.port()), keys.current()))
                    .editMetadata()
                    .withName(created.getMetadata().getName())
                    .withCreationTimestamp(clock.instant().toString())
                    .withOwnerReferences(created.getMetadata().getOwnerReferences())
                    .withLabels(
                        Map.of(
                            Labels.RUN_CLASS,
                            runClasses.getFirst().getMetadata().getName(),
                            Labels.WARM_POOL,
                            PoolTemplate.hashOf(created)))
                    .endMetadata()
                    .build()));
  }

  private void podFails() {
    podBecomes(
        pod ->
            new PodBuilder(pod)
                .editStatus()
                .withPhase("Failed")
                .withReason("no")
                .endStatus()
                .build());
  }

  /** The Pod that was created last changes. */
  private void podBecomes(UnaryOperator<Pod> change) {
    pods.add(change.apply(pods.removeLast()));
  }

  private PoolTemplate template() {
    return templates.of(Samples.config().namespaces().getFirst(), runClasses.getFirst(), PROGRAM);
  }

  private void called(String runUid, boolean hit) {
    parts.history().called(template().key(), runUid, hit);
  }

  /** Pods of a class that wait for runs; their names begin with that of the class. */
  private void idlePods(int count, RunClass runClass) {
    PoolTemplate template =
        templates.of(Samples.config().namespaces().getFirst(), runClass, PROGRAM);
    for (int number = 0; number < count; number++) {
      String name = runClass.getMetadata().getName() + "-" + number;
      Pod pod =
          new PodBuilder(template.pod(name, new PodUsers(100, 101)))
              .editMetadata()
              .withUid(name)
              .withCreationTimestamp(clock.instant().toString())
              .endMetadata()
              .withNewStatus()
              .withPhase("Running")
              .endStatus()
              .build();
      pods.add(api.put(pod));
      IdlePods.offer(warmPods, template, pod, clock.instant());
      // They have no runner that could be asked.
      var unused = warmPods.update(name, known -> known.asked(Instant.MAX));
    }
  }

  /** A replica that starts without the Secret creates another key. */
  private void keyIsReplaced() {
    api.client().secrets().inNamespace("assay-system").withName("assay-operator-keys").delete();
    var unused = new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock));
    keys.reload();
  }

  private static boolean isOf(PoolTemplate template, Pod pod) {
    return PoolTemplate.hashOf(pod).equals(template.hash());
  }

  private void deletedPodsAreGone() {
    pods.removeIf(pod -> !api.requests("DELETE", "/pods/" + pod.getMetadata().getName()).isEmpty());
  }

  /** A Pod of no pool that the scheduler finds no node for. */
  private Pod withoutNode() {
    return Samples.unschedulable(
            new PodBuilder(Samples.runningPod(7333)), "0/1 nodes are available")
        .editMetadata()
        .withName("without-node")
        .withCreationTimestamp(clock.instant().toString())
        .withUid("without-node")
        .endMetadata()
        .build();
  }

  private void podIsOnNode(String node) {
    podBecomes(pod -> new PodBuilder(pod).editSpec().withNodeName(node).endSpec().build());
  }

  private void podHas(PodCondition... conditions) {
    podBecomes(
        pod -> new PodBuilder(pod).editStatus().withConditions(conditions).endStatus().build());
  }

  private int statusWrites() {
    return api.requests("PATCH", "/runclasses/").size();
  }

  private RunClass classAsWritten() {
    return api.client()
        .resources(RunClass.class)
        .withName(runClasses.getFirst().getMetadata().getName())
        .require();
  }

  private static RunClass named(String name, ClassWarmPool pool) {
    RunClass runClass = classWith(pool);
    runClass.getMetadata().setName(name);
    runClass.getMetadata().setUid(name + "-uid");
    return runClass;
  }

  private static OperatorConfig config(List<RunNamespace> namespaces, WarmPoolsConfig limits) {
    OperatorConfig samples = Samples.config();
    return new OperatorConfig(
        namespaces,
        samples.runTtlSeconds(),
        samples.maxRunsPerNamespace(),
        samples.outputStore(),
        samples.endpoint(),
        samples.leaderElection(),
        samples.signingKeyMaxAgeDays(),
        samples.snapshotCleanup(),
        limits,
        samples.egressCheck(),
        samples.toolGateway(),
        samples.operatorPodLabels());
  }

  private int hellos() {
    return (int) runner.paths().stream().filter("/v1/hello"::equals).count();
  }

  private int creations() {
    return api.requests("POST", "/pods").size();
  }

  private int deletions() {
    return api.requests("DELETE", "/pods").size();
  }

  private boolean runningPodIsDeleted() {
    return pods.stream()
        .filter(pod -> pod.getMetadata().getUid().equals(Samples.POD_UID))
        .anyMatch(pod -> !api.requests("DELETE", "/pods/" + pod.getMetadata().getName()).isEmpty());
  }

  /** Takes an idle Pod, whatever its runner can do. */
  private Optional<ClaimedPod> take() {
    return warmPods.take(template(), any -> true);
  }

  private static RunClass classWith(int min) {
    return min == 0
        ? classWith((ClassWarmPool) null)
        : classWith(new ClassWarmPool(min, null, null, null));
  }

  private static RunClass classWith(@Nullable ClassWarmPool pool) {
    return Samples.runClass(Samples.classSpec(Purpose.Run).withWarmPool(pool));
  }
}
