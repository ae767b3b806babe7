package dev.assay.operator.run;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.Samples.RUN_UID;
import static dev.assay.operator.run.ReconcilerFixture.POD_PATH;
import static dev.assay.operator.run.ReconcilerFixture.RUN_STATUS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassWarmPool;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.Samples;
import dev.assay.operator.TrackedThreads;
import dev.assay.operator.config.OperatorConfig.EgressCheckConfig;
import dev.assay.operator.config.UserIdRange;
import dev.assay.operator.egress.EgressCheck;
import dev.assay.operator.egress.EgressTarget;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.pod.EgressAddress;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.run.cluster.PodOfRun;
import dev.assay.operator.run.fixture.Bindings;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunTransitions;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.tool.HoldingGateway;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AnalyticsRunReconcilerTest {
  private static final Duration PENDING = Duration.ofMinutes(5);

  /** A class whose Pods must be refused a connection. */
  private static final RunClassSpec CHECKED = Samples.classSpec(Purpose.Run).withEgressCheck(null);

  private final ReconcilerFixture f = new ReconcilerFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  @Test
  void aRunOfNoClassIsRefused() {
    f.resources.runClass = null;
    assertThat(f.reconcile()).isNull();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Failed);
    assertThat(f.status().reason()).isEqualTo(RunReason.ClassNotAllowed);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.podCreations()).isEmpty();
    assertThat(f.events()).containsExactly("ClassNotAllowed");
  }

  @Test
  void aRunOfADatasetThatDoesNotExistIsRefused() {
    f.run(Samples.spec("1", null, null, null, "sales"), null);
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.DatasetNotFound);
    assertThat(f.podCreations()).isEmpty();
  }

  @Test
  void aRunWaitsForItsDatasetUntilItsPendingDeadline() {
    f.run(Samples.spec("1", null, null, null, "sales"), null);
    f.resources.dataset = Samples.dataset((DatasetStatus) null);
    f.clock.advance(Duration.ofSeconds(100));
    assertThat(f.reconcile()).isEqualTo(PENDING.minusSeconds(100));
    assertThat(f.status().phase()).isEqualTo(RunPhase.Pending);
    assertThat(f.status().reason()).isEqualTo(RunReason.DatasetNotReady);

    f.reconcile();
    assertThat(f.statusWrites()).as("a second look writes nothing").isEqualTo(1);
    assertThat(f.events()).containsExactly("DatasetNotReady");

    f.clock.advance(Duration.ofSeconds(200));
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message()).contains("300 s", "'sales' is not ready");
    assertThat(f.podCreations()).isEmpty();
  }

  @Test
  void aRunThatWaitsNamesTheClassThatItWasGiven() {
    f.run(Samples.run("a").getSpec().withClassName(null), null);
    f.resources.dataset = Samples.dataset(null);

    f.reconcile();

    assertThat(f.status().reason()).isEqualTo(RunReason.DatasetNotReady);
    assertThat(f.status().className()).isEqualTo("python");
  }

  @Test
  void aPodIsMadeOfTheSnapshotsThatAreCurrentNow() {
    f.run(Samples.spec("1", null, null, null, "sales"), null);
    f.resources.dataset =
        Samples.dataset(
            DatasetStatusBuilder.builder()
                .phase(DatasetPhase.Ready)
                .observedGeneration(3L)
                .attempt(0)
                .snapshot(Samples.snapshot("a"))
                .build());
    assertThat(f.reconcile()).isEqualTo(PENDING);
    JsonNode pod = f.podCreations().getFirst().body();
    assertThat(pod.at("/metadata/name").asText()).isEqualTo("run-" + RUN_UID);
    assertThat(pod.at("/metadata/ownerReferences/0/uid").asText()).isEqualTo(RUN_UID);
    assertThat(pod.findValuesAsText("subPath")).contains("snapshots/a");
    assertThat(f.events()).containsExactly("PodCreated");
    assertThat(f.statusWrites()).isZero();
  }

  @Test
  void aRunThatHasItsPodGoesOnWhateverBecomesOfItsDatasets() {
    f.run(Samples.spec("1", null, null, null, "sales"), null);
    f.podIs(running -> running);
    f.resources.dataset = null;
    assertThat(f.reconcile()).isNull();
    assertThat(f.executions.waiting()).isEqualTo(1);
    assertThat(f.statusWrites()).isZero();
  }

  @Test
  void aPodIsMadeOnceAlthoughTheCacheDoesNotShowItYet() {
    f.reconcile();
    Pod first = podInApi();
    assertThat(f.resources.podsMade).containsExactly(first);
    assertThat(f.reconcile()).isEqualTo(PENDING);
    assertThat(podInApi()).isEqualTo(first);
    assertThat(f.events()).containsExactly("PodCreated");
    assertThat(f.statusWrites()).isZero();
  }

  @Test
  void noPodIsMadeBeforeItsNamespaceIsShutIn() {
    f.api.intercept(
        request -> {
          if (request.is("POST", POD_PATH)) {
            assertThat(f.shutIn).containsExactly(NAMESPACE);
          }
          return Optional.empty();
        });
    f.reconcile();
    assertThat(f.podCreations()).hasSize(1);
  }

  @Test
  void aQuotaIsWaitedForInItsOwnWordsAndAskedLessAndLessOften() {
    f.api.refuse("POST", POD_PATH, 403, "Forbidden", "exceeded quota: team-a");
    assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(1));
    assertThat(f.status().phase()).isEqualTo(RunPhase.Pending);
    assertThat(f.status().reason()).isEqualTo(RunReason.WaitingForPod);
    assertThat(f.status().message()).isEqualTo("exceeded quota: team-a");
    assertThat(f.resources.runsWritten).containsExactly(f.read());
    assertThat(f.reconcile()).as("not before its time").isEqualTo(Duration.ofSeconds(1));
    assertThat(f.podCreations()).hasSize(1);
    f.clock.advance(Duration.ofSeconds(1));
    assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(2));
    assertThat(f.statusWrites()).isEqualTo(1);
    assertThat(f.podCreations()).hasSize(2);

    f.clock.advance(PENDING);
    f.reconcile();
    assertThat(f.podCreations()).as("too late").hasSize(2);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message()).contains("300 s", "exceeded quota: team-a");
  }

  @Test
  void ofManyRunsThatWaitForAQuotaOnlyTheOldestAsksAndTheyStartInTheirOrder() {
    int quota = 1;
    AtomicInteger used = new AtomicInteger(quota);
    f.api.intercept(
        request ->
            request.is("POST", POD_PATH) && used.getAndUpdate(n -> Math.min(quota, n + 1)) >= quota
                ? Optional.of(FakeApiServer.failure(403, "Forbidden", "exceeded quota: team-a"))
                : Optional.empty());
    f.resources.dataset =
        Samples.dataset(
            DatasetStatusBuilder.builder()
                .phase(DatasetPhase.Ready)
                .observedGeneration(3L)
                .attempt(0)
                .snapshot(Samples.snapshot("a"))
                .build());
    List<AnalyticsRun> runs = new ArrayList<>();
    for (int i : new int[] {2, 0, 4, 1, 3}) {
      AnalyticsRun run = run(i);
      runs.add(f.api.put(run));
      f.reconcile(run);
    }
    int before = f.podCreations().size();
    f.clock.advance(Duration.ofSeconds(10));
    for (int look = 0; look < 3; look++) {
      for (AnalyticsRun run : runs) {
        f.reconcile(f.api.read(run));
      }
    }
    assertThat(f.podCreations()).as("by the oldest").hasSize(before + 1);
    assertThat(f.api.read(run(4)).getStatus().reason()).isEqualTo(RunReason.Queued);
    assertThat(f.api.read(run(4)).getStatus().message())
        .contains("behind other runs or datasets: exceeded quota");

    List<String> started = new ArrayList<>();
    for (int i = 0; i < runs.size(); i++) {
      used.set(0);
      f.resources.woken.clear();
      f.resources.podEnded.accept(NAMESPACE);
      String next = f.resources.woken.getFirst();
      started.add(next);
      f.reconcile(f.api.read(run(next.charAt(next.length() - 1) - '0')));
    }
    assertThat(started).containsExactly("run-0", "run-1", "run-2", "run-3", "run-4");
  }

  @Test
  void aRunThatWaitedUnderAnEarlierLeaderIsStillBeforeAYoungerOne() {
    AnalyticsRun older = run(0);
    older.setStatus(RunTransitions.waiting(older, RunReason.Queued, "in line").orElseThrow());
    f.resources.waitingForRoom.add(older);
    assertThat(f.reconcile(run(1))).isEqualTo(Duration.ofSeconds(10));
    assertThat(f.podCreations()).isEmpty();
    f.resources.gone.add(older.getMetadata().getUid());
    f.reconcile(f.api.put(run(1)));
    assertThat(f.podCreations()).hasSize(1);
  }

  @Test
  void ofManyRunsOfAClassAsManyAsItAllowsStartAndTheOthersInTheirOrder() {
    f.resources.runClass = limitedTo(2);
    for (int i : new int[] {0, 1, 4, 2, 3}) {
      f.reconcile(f.api.put(run(i)));
    }
    assertThat(f.podCreations()).hasSize(2);
    assertThat(f.api.read(run(2)).getStatus().reason()).isEqualTo(RunReason.Queued);
    assertThat(f.api.read(run(2)).getStatus().message())
        .isEqualTo(
            "Queued behind other runs of class 'python': at most 2 of a namespace run at a time");

    List<String> started = new ArrayList<>();
    for (int ended = 0; ended < 3; ended++) {
      f.resources.woken.clear();
      f.reconcile(f.api.put(ended(run(ended))));
      String next = f.resources.woken.getFirst();
      started.add(next);
      f.reconcile(f.api.read(run(next.charAt(next.length() - 1) - '0')));
      assertThat(f.podCreations()).hasSize(3 + ended);
    }
    assertThat(started).containsExactly("run-2", "run-3", "run-4");
  }

  @Test
  void theNextLeaderCountsTheRunsOfAClassThatAreStartedAndKeepsTheOrderOfThoseThatWait() {
    f.resources.runClass = limitedTo(1);
    f.resources.startedRunUids.add("uid-0");
    AnalyticsRun older = run(1);
    older.setStatus(RunTransitions.waiting(older, RunReason.Queued, "in line").orElseThrow());
    f.api.put(older);
    f.resources.waitingForRoom.add(older);
    AnalyticsRun younger = f.api.put(run(2));
    assertThat(f.reconcile(younger)).isEqualTo(Duration.ofSeconds(10));
    f.reconcile(f.api.read(older));
    assertThat(f.podCreations()).as("the run of the earlier leader goes on").isEmpty();

    f.resources.startedRunUids.clear();
    f.reconcile(f.api.put(ended(run(0))));
    assertThat(f.resources.woken).containsExactly("run-1");
    f.reconcile(f.api.read(younger));
    assertThat(f.podCreations()).isEmpty();
    f.reconcile(f.api.read(older));
    assertThat(f.podCreations()).hasSize(1);
  }

  @Test
  void whileFivePodsOfAClassWaitForANodeTheNextRunsWaitInTheirOrder() {
    List<Pod> others = fiveWaitForANode();
    AnalyticsRun first = f.api.put(run(0));
    AnalyticsRun second = f.api.put(run(1));
    assertThat(f.reconcile(first)).isEqualTo(Duration.ofSeconds(3));
    f.reconcile(second);
    assertThat(f.podCreations()).isEmpty();
    assertThat(f.api.read(first).getStatus()).as("most wait briefly").isNull();
    f.clock.advance(Duration.ofSeconds(3));
    f.reconcile(first);
    assertThat(f.api.read(first).getStatus().reason()).isEqualTo(RunReason.Queued);
    assertThat(f.api.read(first).getStatus().message())
        .isEqualTo("Queued behind other Pods that wait for a node");

    others.removeLast();
    f.resources.podEnded.accept(Samples.NAMESPACE);
    assertThat(f.resources.woken).containsExactly("run-0");
    f.reconcile(f.api.read(second));
    assertThat(f.podCreations()).as("it is not its turn").isEmpty();
    f.reconcile(f.api.read(first));
    assertThat(f.podCreations()).hasSize(1);
    f.reconcile(f.api.read(second));
    assertThat(f.podCreations()).as("the Pod that was requested counts").hasSize(1);
  }

  @Test
  void aRunThatWaitsForANodeHoldsNobodyUpInTheQueueOfTheQuota() {
    f.api.refuse("POST", POD_PATH, 403, "Forbidden", "exceeded quota: team-a");
    f.reconcile(f.api.put(run(0)));
    fiveWaitForANode();
    AnalyticsRun waiting = f.api.put(run(1));
    f.clock.advance(Duration.ofSeconds(3));
    f.reconcile(waiting);
    f.reconcile(f.api.put(run(0)));
    assertThat(f.resources.woken).as("the first waits for the quota as before").isEmpty();
    assertThat(f.api.read(waiting).getStatus().message()).contains("wait for a node");

    f.resources.runClass = other(Samples.runClass(Samples.classSpec(Purpose.Run)));
    AnalyticsRun ofAnotherClass = f.api.put(run(2));
    f.reconcile(ofAnotherClass);
    assertThat(f.api.read(ofAnotherClass).getStatus().message()).contains("exceeded quota");
  }

  @Test
  void runsThatWaitForTheQuotaDoNotCountAsWaitingForANode() {
    f.api.refuse("POST", POD_PATH, 403, "Forbidden", "exceeded quota: team-a");
    List<AnalyticsRun> runs = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      AnalyticsRun run = f.api.put(run(i));
      f.reconcile(run);
      runs.add(run);
    }
    assertThat(f.podCreations()).as("only the first asks").hasSize(1);
    assertThat(runs)
        .extracting(run -> f.api.read(run).getStatus().message())
        .allMatch(message -> message.contains("exceeded quota"));
  }

  @Test
  void aRunThatTheQuotaRefusesMakesRoomForTheNextWhichWaitsForTheQuotaThen() {
    List<Pod> others = fiveWaitForANode();
    AnalyticsRun first = f.api.put(run(0));
    AnalyticsRun second = f.api.put(run(1));
    f.reconcile(first);
    f.reconcile(second);
    others.removeLast();
    f.api.refuse("POST", POD_PATH, 403, "Forbidden", "exceeded quota: team-a");
    f.reconcile(f.api.read(first));
    assertThat(f.podCreations()).hasSize(1);
    assertThat(f.resources.woken).containsExactly("run-1");
    f.reconcile(f.api.read(second));
    assertThat(f.podCreations()).hasSize(1);
    assertThat(f.api.read(second).getStatus().message()).contains("exceeded quota");
  }

  @Test
  void aRunThatIsCancelledWhileItWaitsForANodeMakesRoom() {
    List<Pod> others = fiveWaitForANode();
    AnalyticsRun first = f.api.put(run(0));
    AnalyticsRun second = f.api.put(run(1));
    f.reconcile(first);
    f.reconcile(second);
    AnalyticsRun cancelled = f.api.read(first);
    cancelled.setSpec(cancelled.getSpec().with(spec -> spec.cancel(true)));
    f.reconcile(f.api.put(cancelled));
    assertThat(f.resources.woken).containsExactly("run-1");
    others.removeLast();
    f.reconcile(f.api.read(second));
    assertThat(f.podCreations()).hasSize(1);
  }

  @Test
  void aRunGivesItsPodUpWhileThereIsNoNodeForThoseOfOthersAndWaitsForItsTurn() {
    List<Pod> pods = new ArrayList<>();
    f.resources.podsOfRuns.put("python", pods);
    AnalyticsRun older = run(0);
    pods.add(withoutNode(older));
    AnalyticsRun ofAnother = run(1);
    ofAnother.setSpec(ofAnother.getSpec().withCaller("another"));
    pods.add(withoutNode(ofAnother));
    AnalyticsRun run = f.api.put(run(2));
    Pod pod = withoutNode(run);
    f.api.put(pod);
    f.resources.pod = pod;
    pods.add(pod);

    f.reconcile(run);
    assertThat(f.podDeletions()).hasSize(1);
    f.resources.pod = null;
    pods.remove(pod);
    f.reconcile(f.api.read(run));
    assertThat(f.podCreations()).isEmpty();
    pods.removeFirst();
    f.reconcile(f.api.read(run));
    assertThat(f.podCreations()).hasSize(1);
  }

  private Pod withoutNode(AnalyticsRun run) {
    f.resources.owners.put(run.getMetadata().getUid(), run);
    return Samples.unschedulable(new PodBuilder(Samples.runningPod(7333)), "0/1 nodes")
        .editMetadata()
        .withName(PodOfRun.createdName(run))
        .addToLabels(Labels.RUN_UID, run.getMetadata().getUid())
        .endMetadata()
        .build();
  }

  private static RunClass other(RunClass runClass) {
    runClass.getMetadata().setName("other");
    return runClass;
  }

  private List<Pod> fiveWaitForANode() {
    List<Pod> pods = new ArrayList<>();
    f.resources.podsOfRuns.put("python", pods);
    for (int i = 0; i < 5; i++) {
      f.resources.owners.put("uid-of-another-" + i, Samples.run());
      pods.add(
          new PodBuilder(Samples.runningPod(7333))
              .withNewStatus()
              .withPhase("Pending")
              .endStatus()
              .editMetadata()
              .addToLabels(Labels.RUN_UID, "uid-of-another-" + i)
              .endMetadata()
              .build());
    }
    return pods;
  }

  @Test
  void aRunThatWaitsForOthersOfItsClassEndsAtItsPendingDeadline() {
    f.resources.runClass = limitedTo(1);
    f.resources.startedRunUids.add("another");
    f.reconcile();
    f.clock.advance(Duration.ofSeconds(301));
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message()).contains("300 s", "behind other runs of class 'python'");
  }

  @Test
  void aRunThatWaitsForItsClassHoldsNobodyUpInTheQueueOfTheQuota() {
    RunClass limited = limitedTo(1);
    RunClass unlimited = Samples.runClass(Samples.classSpec(Purpose.Run));
    f.resources.startedRunUids.add("another");
    AnalyticsRun waiting = run(0);
    waiting.setStatus(RunTransitions.waiting(waiting, RunReason.Queued, "in line").orElseThrow());
    f.api.put(waiting);
    f.resources.waitingForRoom.add(waiting);
    AnalyticsRun other = f.api.put(run(1));
    f.resources.runClass = unlimited;
    f.reconcile(other);
    assertThat(f.podCreations()).as("both are restored").isEmpty();
    f.resources.runClass = limited;
    f.reconcile(f.api.read(waiting));
    assertThat(f.resources.woken).containsExactly("run-1");
    f.resources.runClass = unlimited;
    f.reconcile(f.api.read(other));
    assertThat(f.podCreations()).hasSize(1);
  }

  @Test
  void aRunThatWaitsForADatasetHoldsNoSlotOfItsClass() {
    f.resources.runClass = limitedTo(1);
    AnalyticsRun waiting = run(0);
    waiting.setSpec(waiting.getSpec().withDatasets(List.of("sales")));
    f.resources.dataset = Samples.dataset((DatasetStatus) null);
    f.reconcile(f.api.put(waiting));
    assertThat(f.api.read(waiting).getStatus().reason()).isEqualTo(RunReason.DatasetNotReady);
    f.reconcile(f.api.put(run(1)));
    assertThat(f.podCreations()).hasSize(1);
  }

  private static RunClass limitedTo(int maxConcurrentRuns) {
    return Samples.runClass(
        Samples.classSpec(Purpose.Run).withMaxConcurrentRuns(maxConcurrentRuns));
  }

  private static AnalyticsRun ended(AnalyticsRun run) {
    run.setStatus(
        RunTransitions.waiting(run, RunReason.Queued, "in line")
            .orElseThrow()
            .withPhase(RunPhase.Succeeded));
    return run;
  }

  @Test
  void aPolicyThatForbidsAPodHoldsNoOtherRunUp() {
    f.api.refuse("POST", POD_PATH, 403, "Forbidden", "violates PodSecurity");
    assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(10));
    AnalyticsRun other = f.api.put(run(1));
    f.reconcile(other);
    assertThat(f.podCreations()).hasSize(2);
  }

  @Test
  void aRunWhosePodAPolicyForbidsLetsThoseBehindItAskForTheirs() {
    AnalyticsRun forbidden = f.api.put(run(0));
    AnalyticsRun next = f.api.put(run(1));
    f.api.refuse("POST", POD_PATH, 403, "Forbidden", "exceeded quota: team-a");
    f.reconcile(forbidden);
    f.reconcile(next);
    f.clock.advance(Duration.ofSeconds(10));
    f.api.refuse("POST", POD_PATH, 403, "Forbidden", "violates PodSecurity");
    f.reconcile(f.api.read(forbidden));
    assertThat(f.resources.woken).containsExactly("run-1");
    int before = f.podCreations().size();
    f.reconcile(f.api.read(next));
    assertThat(f.podCreations()).hasSize(before + 1);
  }

  private static AnalyticsRun run(int number) {
    AnalyticsRun run = Samples.run();
    run.getMetadata().setName("run-" + number);
    run.getMetadata().setUid("uid-" + number);
    run.getMetadata()
        .setCreationTimestamp(Instant.parse(Samples.CREATED).plusSeconds(number).toString());
    return run;
  }

  @Test
  void aPodThatIsNotAcceptableEndsTheRun() {
    f.api.refuse("POST", POD_PATH, 422, "Invalid", "spec.nodeSelector is wrong");
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message()).isEqualTo("The Pod was rejected: spec.nodeSelector is wrong");
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
  }

  @Test
  void anApiServerThatFailsIsTriedAgain() {
    f.api.refuse("POST", POD_PATH, 500, "InternalError", "etcd is away");
    assertThatThrownBy(f::reconcile).isInstanceOf(KubernetesClientException.class);
    assertThat(f.statusWrites()).isZero();
  }

  @Test
  void aPodThatDoesNotRunYetIsWaitedForInKubernetesWords() {
    f.podIs(running -> Samples.unschedulable(running, "0/1 nodes are available"));
    assertThat(f.reconcile()).isEqualTo(PENDING);
    assertThat(f.status().reason()).isEqualTo(RunReason.WaitingForPod);
    assertThat(f.status().message()).isEqualTo("Unschedulable: 0/1 nodes are available");
    f.podIs(running -> Samples.unschedulable(running, "0/2 nodes are available"));
    f.reconcile();
    assertThat(f.statusWrites()).as("details alone are not told again").isEqualTo(1);

    f.clock.advance(PENDING);
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message()).contains("300 s", "0/2 nodes are available");
    assertThat(f.podDeletions()).hasSize(1);
  }

  @Test
  void aPodThatNeverStartedIsExplainedByTheLastWarningAboutIt() {
    f.api.intercept(
        request ->
            request.is("GET", "/events")
                ? Optional.of(
                    new FakeApiServer.Answer(
                        200,
                        "{\"kind\":\"EventList\",\"apiVersion\":\"v1\",\"items\":["
                            + "{\"reason\":\"FailedMount\",\"message\":\"no such path\"}]}"))
                : Optional.empty());
    f.podIs(running -> running.withNewStatus().withPhase("Pending").endStatus());
    f.clock.advance(PENDING);
    f.reconcile();
    assertThat(f.status().message()).endsWith("within 300 s: FailedMount: no such path");
  }

  @Test
  void aPodOfWhichNothingIsKnownIsWaitedForInSilence() {
    f.podIs(running -> running.withNewStatus().withPhase("Pending").endStatus());
    assertThat(f.reconcile()).isEqualTo(PENDING);
    assertThat(f.statusWrites()).isZero();
    assertThat(f.executions.waiting()).isZero();
  }

  @Test
  void aPodThatEndedByItselfBeforeTheStartIsReplacedMoreAndMoreSlowlyAndNotForEver() {
    for (int seconds : new int[] {5, 15, 45}) {
      f.podIs(AnalyticsRunReconcilerTest::failed);
      f.reconcile();
      assertThat(f.status().reason()).isEqualTo(RunReason.WaitingForPod);
      assertThat(f.status().message()).contains("No code has run", seconds + " s", "phase Failed");
      f.resources.pod = null;
      int made = f.podCreations().size();
      assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(seconds));
      assertThat(f.podCreations()).as("not at once").hasSize(made);
      f.clock.advance(Duration.ofSeconds(seconds));
      f.reconcile();
      assertThat(f.podCreations()).hasSize(made + 1);
    }
    f.podIs(AnalyticsRunReconcilerTest::failed);
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message()).startsWith("The Pod ended: ");
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
  }

  @Test
  void aRunWhosePodEndedByItselfIsGivenAWarmPodOnlyWhenItsNextPodIsDue() {
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.podIsIdle(runner);
      f.podIs(AnalyticsRunReconcilerTest::failed);
      f.reconcile();
      f.resources.pod = null;
      assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(5));
      assertThat(f.executions.waiting()).isZero();
      f.clock.advance(Duration.ofSeconds(5));
      f.reconcile();
      assertThat(f.executions.waiting()).isEqualTo(1);
      assertThat(f.podCreations()).isEmpty();
    }
  }

  @Test
  void aRunThatFindsNoUserIdsGetsThoseOfAnIdlePodThatItCannotUse() {
    f.userIdsAre(new UserIdRange(20_000, 20_001));
    f.run(Samples.spec("1", null, null, null, "sales"), null);
    f.resources.dataset = withSnapshot("a");
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      f.podIsIdle(runner, new ClassWarmPool(1, null, null, false));
      assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(3));
      assertThat(f.status().message()).contains("All user ids");
      assertThat(f.podDeletions()).isEmpty();
      f.reconcilePools();
      assertThat(f.podDeletions()).hasSize(1);
      f.resources.otherPods.clear();
      f.reconcile();
      assertThat(f.podCreations()).hasSize(1);
    }
  }

  @Test
  void aNewRunIsGivenAWarmPodBeforeItsDatasetsAreRead() {
    f.run(Samples.spec("1", null, null, null, "sales"), null);
    f.resources.cachedDataset = withSnapshot("a");
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      aPodThatOpensSnapshotsIsIdle(runner);
      f.reconcile();
      assertThat(f.executions.waiting()).isEqualTo(1);
      assertThat(f.statusWrites()).as("it is not refused").isZero();
    }
  }

  @Test
  void aRunThatHasWaitedIsDecidedOnWhatTheApiServerHas() {
    f.run(
        Samples.spec("1", null, null, null, "sales"),
        RunTransitions.waiting(Samples.run(), RunReason.WaitingForPod, "It was given back")
            .orElseThrow());
    f.resources.cachedDataset = withSnapshot("a");
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      aPodThatOpensSnapshotsIsIdle(runner);
      f.reconcile();
      assertThat(f.executions.waiting()).isZero();
      assertThat(f.status().reason()).isEqualTo(RunReason.DatasetNotFound);
    }
  }

  @Test
  void aPodOfItsOwnIsCreatedOfWhatTheApiServerHas() {
    f.run(Samples.spec("1", null, null, null, "sales"), null);
    f.resources.runClass =
        Samples.runClass(
            Samples.classSpec(Purpose.Run).withWarmPool(new ClassWarmPool(1, null, null, null)));
    f.resources.cachedDataset = withSnapshot("a");
    f.resources.dataset = withSnapshot("b");
    f.reconcile();
    assertThat(f.podCreations().getFirst().body().findValuesAsText("subPath"))
        .contains("snapshots/b");
  }

  private static Dataset withSnapshot(String id) {
    return Samples.dataset(
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Ready)
            .observedGeneration(3L)
            .attempt(0)
            .snapshot(Samples.snapshot(id))
            .build());
  }

  private void aPodThatOpensSnapshotsIsIdle(FakeRunner runner) {
    runner.on("/v1/hello", FakeRunner.json(200, FakeRunner.helloWith("datasets", "snapshots")));
    f.podIsIdle(runner);
  }

  @Test
  void aRunWhosePodCannotBeTestedYetWaits() {
    f.resources.runClass = Samples.runClass(CHECKED);
    assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(1));
    assertThat(f.podCreations()).isEmpty();
    assertThat(f.status().reason()).isEqualTo(RunReason.WaitingForPod);
    assertThat(f.status().message()).contains("set egressCheck: Disabled in the class");
  }

  @Test
  void thePodOfAClassThatRequiresTheCheckIsToldWhatItMustBeRefused() {
    f.resources.runClass = Samples.runClass(CHECKED);
    f.egressTarget = new EgressTarget(new EgressCheckConfig("127.0.0.1", 8787));
    f.egressTarget.resolve();
    f.operatorRestarts(f.executions);
    f.reconcile();
    assertThat(f.podCreations().getFirst().body().findValues("env").toString())
        .contains("{\"name\":\"ASSAY_EGRESS_ADDRESS\",\"value\":\"127.0.0.1:8787\"}");
  }

  @Test
  void aRunWhosePodIsOpenSaysSoAndEndsAtItsPendingDeadline() {
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      FakeRunner.Answer connected = FakeRunner.json(200, "{\"egress\":\"connected\"}");
      List<AnalyticsRunStatus> seen = new ArrayList<>();
      f.egressTarget = new EgressTarget(new EgressCheckConfig("127.0.0.1", runner.port()));
      f.egressTarget.resolve();
      f.operatorRestarts(f.executions);
      runner.on("/v1/hello", FakeRunner.json(200, FakeRunner.helloWith("egress")));
      runner.on(
          "/v1/egress",
          FakeRunner.meanwhile(() -> f.clock.advance(EgressCheck.GRACE)).then(connected),
          FakeRunner.meanwhile(
                  () -> {
                    seen.add(f.status());
                    f.clock.advance(Duration.ofMinutes(5));
                  })
              .then(connected));
      f.podIs(
          running ->
              new PodBuilder(
                  new EgressAddress("127.0.0.1", runner.port())
                      .writtenTo(f.reachableAt(running, runner.port()).build())));
      f.reconcile();
      f.executions.runAll();
      assertThat(seen.getFirst().reason()).isEqualTo(RunReason.WaitingForPod);
      assertThat(seen.getFirst().message()).startsWith("The network of its Pod is open: ");
      assertThat(runner.ops()).isEmpty();
    }
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message())
        .startsWith("The run did not start within 300 s: The network of its Pod is open: ");
    assertThat(f.podDeletions()).hasSize(1);
  }

  @Test
  void aPodWhoseWorkerNeedsMoreMemoryThanItsClassHasIsNotReplaced() {
    f.podIs(
        running ->
            failed(running)
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
                .endStatus());
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message()).contains("OOMKilled");
    assertThat(f.podDeletions()).hasSize(1);
  }

  @Test
  void aPodThatKubernetesEndedBeforeTheStartIsReplacedButNotAtOnce() {
    f.podIs(
        running ->
            running
                .editStatus()
                .withPhase("Failed")
                .withReason("Evicted")
                .withMessage("The node was low on resource: memory.")
                .endStatus());
    f.clock.advance(Duration.ofSeconds(1));
    assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(2));
    assertThat(f.status().reason()).isEqualTo(RunReason.WaitingForPod);
    assertThat(f.status().message()).startsWith("Evicted: The node was low");
    assertThat(f.podDeletions()).isEmpty();

    f.clock.advance(Duration.ofSeconds(2));
    f.reconcile();
    assertThat(f.podDeletions()).hasSize(1);
    assertThat(f.podCreations()).as("while the first one is there").isEmpty();

    f.resources.pod = null;
    f.reconcile();
    assertThat(f.podCreations()).hasSize(1);
  }

  @Test
  void noCodeIsSentToAPodWhoseUserAnOlderPodHas() {
    Pod pod = f.podIs(running -> running);
    f.resources.otherPods.add(
        new PodBuilder(pod)
            .editMetadata()
            .withName("run-other")
            .withUid("other")
            .withCreationTimestamp("2000-01-01T00:00:00Z")
            .endMetadata()
            .build());
    f.clock.advance(Duration.ofMinutes(1));
    f.reconcile();
    assertThat(f.executions.waiting()).isZero();
    assertThat(f.podDeletions()).hasSize(1);
  }

  @Test
  void anUnboundPodOfALostNodeIsRemovedByForceAndReplaced() {
    f.podIs(running -> running.editMetadata().withDeletionTimestamp(Samples.CREATED).endMetadata());
    f.clock.advance(Duration.ofSeconds(1));
    Duration next = f.reconcile();
    assertThat(next).isLessThan(Duration.ofSeconds(30));
    assertThat(f.podDeletions()).isEmpty();
    assertThat(f.status().reason()).isEqualTo(RunReason.WaitingForPod);
    assertThat(f.status().message()).contains("is being deleted");

    f.clock.advance(Duration.ofSeconds(30));
    f.reconcile();
    assertThat(f.podDeletions())
        .singleElement()
        .satisfies(
            request -> assertThat(request.body().path("gracePeriodSeconds").asInt(-1)).isZero());

    f.resources.pod = null;
    f.reconcile();
    assertThat(f.podCreations()).hasSize(1);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Pending);
  }

  @Test
  void anEndingThatWasDecidedBeforeTheRunWasBoundIsNotAppliedToTheBoundRun() throws IOException {
    f.podIs(running -> running);
    f.resources.runClass = null;
    anotherLeaderBinds();
    storedOutput("so far\n");
    assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(1));
    assertThat(f.status()).isEqualTo(f.boundStatus());
    assertThat(f.podDeletions()).isEmpty();
    assertThat(f.outputs.isComplete(NAMESPACE, RUN_UID)).isFalse();
    assertThat(f.events()).isEmpty();
  }

  @Test
  void aCancelThatWasSeenBeforeTheRunWasBoundLeavesThePodToTheBoundRun() {
    f.run(Samples.spec("print(1)", null, null, true), null);
    f.podIs(running -> running);
    anotherLeaderBinds();
    assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(1));
    assertThat(f.status().phase()).isEqualTo(RunPhase.Starting);
    assertThat(f.podDeletions()).isEmpty();
  }

  private void anotherLeaderBinds() {
    f.api.intercept(
        request -> {
          if (request.is("PATCH", RUN_STATUS) && f.api.read(Samples.run()).getStatus() == null) {
            f.run(f.api.read(Samples.run()).getSpec(), f.boundStatus());
          }
          return Optional.empty();
        });
  }

  @Test
  void aPodThatCanBeReachedIsGivenTheRunOnce() {
    f.podIs(running -> running);
    assertThat(f.reconcile()).isNull();
    assertThat(f.reconcile()).isNull();
    assertThat(f.executions.waiting()).isEqualTo(1);
    assertThat(f.statusWrites()).as("the execution binds it").isZero();
  }

  @Test
  void aRunThatIsExecutedIsNotEndedByTheReconciler() {
    f.podIs(running -> running);
    f.reconcile();
    f.resources.pod = null;
    f.run(Samples.spec("print(1)", null, null, true), null);
    assertThat(f.reconcile()).isNull();
    assertThat(f.statusWrites()).isZero();
    assertThat(f.podCreations()).isEmpty();
  }

  @Test
  void aRunThatIsCancelledWhileItIsExecutedIsStoppedByItsRunner() throws Exception {
    TrackedThreads threads = new TrackedThreads();
    f.operatorRestarts(threads.executor());
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      CountDownLatch told = new CountDownLatch(1);
      runner.on(
          "/v1/cancel", FakeRunner.meanwhile(told::countDown).then(FakeRunner.json(200, "{}")));
      runner.on(
          "/v1/start",
          FakeRunner.events(FakeRunner.started(1))
              .then(
                  FakeRunner.meanwhile(
                      () -> {
                        f.run(Samples.spec("print(1)", null, null, true), f.status());
                        f.reconcile();
                        assertThat(told.await(20, TimeUnit.SECONDS)).isTrue();
                      }))
              .then(FakeRunner.more(FakeRunner.result(2, "Cancelled", 0))));
      f.podIs(running -> f.reachableAt(running, runner.port()));
      f.reconcile();
      threads.awaitIdle();
    }
    assertThat(f.status().phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Yes);
  }

  @Test
  void aRunThatIsCancelledBeforeItHasAPodGetsNone() {
    f.run(Samples.spec("print(1)", null, null, true), null);
    f.reconcile();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.No);
    assertThat(f.podCreations()).isEmpty();
    assertThat(f.events()).as("it was wanted").isEmpty();
  }

  @Test
  void aRunThatIsCancelledWhileItsPodComesUpLosesIt() {
    f.run(Samples.spec("print(1)", null, null, true), null);
    f.podIs(running -> Samples.unschedulable(running, "0/1 nodes are available"));
    f.reconcile();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(f.podDeletions()).hasSize(1);
  }

  @Test
  void aBoundRunThatIsCancelledAfterARestartIsStoppedByItsRunnerWhichHoldsItsOutput()
      throws Exception {
    f.run(Samples.spec("print(1)", null, null, true), boundTo(FakeRunner.NONCE));
    TrackedThreads threads = new TrackedThreads();
    f.operatorRestarts(threads.executor());
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      runner.on("/v1/hello", FakeRunner.json(200, FakeRunner.helloOf(Samples.POD_UID, "Started")));
      runner.on(
          "/v1/start",
          FakeRunner.events(
              FakeRunner.started(1),
              FakeRunner.output(2, 0, "so far\n"),
              FakeRunner.result(3, "Cancelled", 7)));
      f.podIs(running -> f.reachableAt(running, runner.port()));
      f.reconcile();
      threads.awaitIdle();
      assertThat(runner.ops()).contains("cancel", "ack");
    }
    assertThat(f.status().phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertOutput("so far\n");
  }

  @Test
  void aBoundRunThatIsCancelledAfterItsPodIsGoneTellsWhatIsStored() throws IOException {
    f.run(Samples.spec("print(1)", null, null, true), f.boundStatus());
    storedOutput("so far\n");
    f.reconcile();
    assertThat(f.status().phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Unknown);
    assertOutput("so far\n");
  }

  @Test
  void aBoundRunWhosePodIsGoneEndsOnlyWhenItsOutputCanBeRead() throws IOException {
    f.runIsBound();
    storedOutput("so far\n");
    f.outputs.failNext(2);
    assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(10));
    assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(10));
    assertThat(f.status().reason()).isEqualTo(RunReason.OutputStoreUnavailable);
    assertThat(f.status().message()).contains("/outputs", "the disk is full");
    assertThat(f.events()).containsExactly("OutputStoreUnavailable");
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertOutput("so far\n");
  }

  @Test
  void aBoundRunWhosePodIsGoneAfterARestartListsTheFilesThatAreStored() {
    f.runIsBound();
    f.outputs.put(NAMESPACE, RUN_UID, Map.of("reports/a.csv", new byte[4]));
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().artifactList())
        .extracting(RunArtifact::path)
        .containsExactly("reports/a.csv");
    assertThat(f.status().artifactsMessage()).isNull();
  }

  @Test
  void aBoundRunWhosePodIsGoneAfterARestartSaysThatNoFilesWereCollected() {
    f.runIsBound();
    f.reconcile();
    assertThat(f.status().artifacts()).isNull();
    assertThat(f.status().artifactsMessage()).startsWith("No files were collected");
  }

  @Test
  void aBoundRunIsTakenUpAfterARestart() {
    f.runIsBound();
    f.podIs(running -> running);
    assertThat(f.reconcile()).isNull();
    assertThat(f.executions.waiting()).isEqualTo(1);
    assertThat(f.statusWrites()).isZero();
  }

  @Test
  void aBoundRunWhosePodIsGoneAfterARestartTellsWhatIsStored() throws IOException {
    f.runIsBound();
    storedOutput("so far\n");
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().payloadStarted()).isEqualTo(PayloadStarted.Unknown);
    assertOutput("so far\n");
    assertThat(f.outputs.isComplete(NAMESPACE, RUN_UID)).as("it may make room for others").isTrue();
    assertThat(f.podCreations()).as("never another one").isEmpty();
  }

  @Test
  void aBoundRunWhosePodIsGoneAfterARestartIsClosedAtTheGatewayThatHasItsCall() throws Exception {
    HoldingGateway gateway = new HoldingGateway();
    f.toolGatewayIs(gateway);
    HoldingGateway.recordCall(new RunOutputs(f.outputs, f.clock), NAMESPACE, RUN_UID);
    f.runIsBound();
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.status().toolCalls()).isEqualTo(new ToolCallCounts(1, 1, 0));
    f.executions.runAll();
    assertThat(gateway.closed()).containsExactly(HoldingGateway.ADDRESS + " " + RUN_UID);
    assertThat(new String(f.outputs.calls(NAMESPACE, RUN_UID, 0).readAllBytes(), UTF_8))
        .contains(HoldingGateway.UNKNOWN);
  }

  @Test
  void aBoundRunIsNotGivenUpWhileItsPodIsOnlyNotSeenYet() {
    f.runIsBound();
    Pod running = f.podIs(pod -> pod);
    Pod comingUp =
        new PodBuilder(running)
            .editStatus()
            .withPhase("Pending")
            .withPodIP(null)
            .withContainerStatuses(List.of())
            .endStatus()
            .build();
    for (Pod seen : new Pod[] {null, comingUp}) {
      f.resources.pod = seen;
      assertThat(f.reconcile()).isEqualTo(Duration.ofSeconds(1));
      assertThat(f.statusWrites()).isZero();
      assertThat(f.executions.waiting()).isZero();
    }
    f.resources.pod = running;
    assertThat(f.reconcile()).isNull();
    assertThat(f.executions.waiting()).isEqualTo(1);
  }

  @Test
  void aBoundRunIsNotGivenToAnotherPodOfTheSameName() {
    f.runIsBound();
    f.podIs(running -> running.editMetadata().withUid("another-pod").endMetadata());
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.PodLost);
    assertThat(f.executions.waiting()).isZero();
  }

  @Test
  void aBoundRunWhosePodKubernetesStoppedAtItsDeadlineHasTimedOut() {
    f.runIsBound();
    f.podIs(
        running ->
            running.editStatus().withPhase("Failed").withReason("DeadlineExceeded").endStatus());
    f.reconcile();
    assertThat(f.status().phase()).isEqualTo(RunPhase.TimedOut);
    assertThat(f.podDeletions()).hasSize(1);
  }

  @Test
  void aBoundRunWhoseClassIsGoneAfterARestartEnds() throws IOException {
    f.runIsBound();
    f.podIs(running -> running);
    f.resources.runClass = null;
    storedOutput("so far\n");
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.RunnerLost);
    assertOutput("so far\n");
    assertThat(f.podDeletions()).hasSize(1);
  }

  @Test
  void aRunIsTakenUpWithTheLimitsItsPodWasMadeForWhateverBecameOfItsClass() throws Exception {
    f.reconcile();
    Map<String, String> made = podInApi().getMetadata().getAnnotations();
    f.run(f.read().getSpec(), boundTo(FakeRunner.NONCE));
    f.resources.runClass = null;
    TrackedThreads threads = new TrackedThreads();
    f.operatorRestarts(threads.executor());
    try (FakeRunner runner = new FakeRunner(f.keys.current())) {
      runner.on("/v1/start", FakeRunner.events(FakeRunner.result(1, "Cancelled", 0)));
      f.podIs(
          running ->
              f.reachableAt(running, runner.port())
                  .editMetadata()
                  .withAnnotations(made)
                  .endMetadata());
      f.reconcile();
      threads.awaitIdle();
      JsonNode limits = runner.accepted().getFirst().at("/job/limits");
      assertThat(limits.path("timeoutMs").asInt()).isEqualTo(30_000);
      assertThat(limits.path("outputBytes").asInt()).isEqualTo(1024 * 1024);
    }
    assertThat(f.status().phase()).isEqualTo(RunPhase.Cancelled);
  }

  @Test
  void anExecutionThatLeftTheRunIsFollowedByAnotherLook() throws Exception {
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    f.operatorRestarts(threads);
    f.podIs(running -> f.reachableAt(running, 1));
    f.reconcile();
    f.resources.pod = null;
    f.reconcile();
    assertThat(f.resources.askedAgain.await(20, TimeUnit.SECONDS)).isTrue();
    threads.close();
    assertThat(f.statusWrites()).isZero();
    f.reconcile();
    assertThat(f.podCreations()).hasSize(1);
  }

  @Test
  void behindARunThatHasEndedItsPodGoesAndLaterTheRun() {
    f.run(Samples.spec("print(1)", null, null, null), ended());
    f.podIs(running -> running.editStatus().withPhase("Succeeded").endStatus());
    assertThat(f.reconcile()).isNotNull();
    assertThat(f.podDeletions()).hasSize(1);
    assertThat(f.statusWrites()).isZero();
    f.clock.advance(Duration.ofHours(1));
    f.reconcile();
    assertThat(f.api.find(Samples.run())).isEmpty();
  }

  @Test
  void aPodOfAClassThatIsGoneIsNotKept() {
    f.run(Samples.spec("print(1)", null, null, null), ended());
    f.resources.runClass = null;
    f.podIs(running -> running.editStatus().withPhase("Succeeded").endStatus());
    f.reconcile();
    assertThat(f.podDeletions()).hasSize(1);
  }

  @Test
  void aRunThatEndsWhileItIsDecidedAboutIsLeftAsItEnded() {
    f.resources.runClass = null;
    f.api.intercept(
        request -> {
          if (request.is("PATCH", RUN_STATUS) && f.api.read(Samples.run()).getStatus() == null) {
            f.run(Samples.spec("print(1)", null, null, null), ended());
          }
          return Optional.empty();
        });
    f.reconcile();
    assertThat(f.status().reason()).isEqualTo(RunReason.Completed);
  }

  private AnalyticsRunStatus boundTo(String nonce) {
    return Bindings.status(Samples.run(), Bindings.ownPod(nonce), f.clock.instant());
  }

  private AnalyticsRunStatus ended() {
    return RunTransitions.finished(
            Samples.run(),
            Ending.started(RunReason.Completed, "done", null),
            null,
            f.clock.instant())
        .orElseThrow();
  }

  private void storedOutput(String text) throws IOException {
    f.outputs.append(NAMESPACE, RUN_UID, 0, text.getBytes(UTF_8));
  }

  private void assertOutput(@Nullable String text) {
    assertThat(Objects.requireNonNull(f.status().result()).output()).isEqualTo(text);
  }

  private Pod podInApi() {
    return f.api.read(Samples.runningPod(7333));
  }

  /** Returns a Pod with another UID each time. */
  private static PodBuilder failed(PodBuilder running) {
    return running
        .editMetadata()
        .withUid(UUID.randomUUID().toString())
        .endMetadata()
        .editStatus()
        .withPhase("Failed")
        .endStatus();
  }
}
