package dev.assay.operator.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.config.OperatorConfig.SnapshotCleanupConfig;
import dev.assay.operator.kubernetes.RunnerPods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class NamespaceCleanupTest {
  private static final int EVERY = 600;
  private static final int MIN_AGE = 3600;
  private static final String PODS = "/pods";

  private final FakeApiServer server = new FakeApiServer();
  private final ManualClock clock = new ManualClock();
  private final List<String> policiesEnsured = new ArrayList<>();
  private final NamespaceCleanup cleanup = leader();

  @BeforeEach
  void aClassForSnapshots() {
    server.put(snapshotClass("snapshot", List.of("*")));
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void theFirstLookOnlyRemembersWhatIsInUse() {
    dataset("a", "snapshots/a/1-0");
    cleanup.runOnce();
    assertThat(made()).isEmpty();
  }

  @Test
  void theSecondLookMakesAPodThatIsToldWhatIsInUse() {
    for (int i = 1; i <= 5; i++) {
      dataset("data-" + i, "snapshots/d/" + i + "-0");
    }
    server.put(CleanupFixture.runPod("run-1", "snapshots/mounted/1-0"));
    run(RunPhase.Running, "snapshots/pinned/1-0");
    cleanup.runOnce();

    Pod pod = lookAgainAndFindPod();

    assertThat(inUse(pod))
        .containsExactly(
            "snapshots/d/1-0",
            "snapshots/d/2-0",
            "snapshots/d/3-0",
            "snapshots/d/4-0",
            "snapshots/d/5-0",
            "snapshots/mounted/1-0",
            "snapshots/pinned/1-0");
    assertThat(policiesEnsured).containsExactly(Samples.NAMESPACE);
  }

  @Test
  void thePodIsToldTheTimeOfTheListLessTheAge() {
    cleanup.runOnce();
    List<String> command = lookAgainAndFindPod().getSpec().getContainers().getFirst().getCommand();
    Instant look = Instant.parse(Samples.CREATED).plusSeconds(EVERY);
    assertThat(command.get(command.indexOf("--made-before") + 1))
        .isEqualTo(Long.toString(look.minusSeconds(MIN_AGE).getEpochSecond()));
  }

  @Test
  void whatWasInUseAtTheLookBeforeStaysOnceMore() {
    dataset("a", "snapshots/a/1-0");
    cleanup.runOnce();
    dataset("a", "snapshots/a/2-0");
    Pod first = lookAgainAndFindPod();
    assertThat(inUse(first)).containsExactly("snapshots/a/1-0", "snapshots/a/2-0");
    ends(first, "Succeeded");
    assertThat(inUse(lookAgainAndFindPod())).containsExactly("snapshots/a/2-0");
  }

  @Test
  void aPodThatHasEndedIsDeletedAtTheNextLookAtIt() {
    cleanup.runOnce();
    Pod pod = lookAgainAndFindPod();
    cleanup.runOnce();
    assertThat(server.find(pod)).isPresent();
    ends(pod, "Succeeded");
    cleanup.runOnce();
    assertThat(server.find(pod)).isEmpty();
  }

  @Test
  void onceAllIsSweptNoPodIsMadeUntilSomethingChanges() {
    dataset("a", "snapshots/a/1-0");
    cleanup.runOnce();
    for (int passed = 0; passed < MIN_AGE; passed += EVERY) {
      lookAgainAndEnd();
    }
    int pods = made().size();

    lookAgain();
    lookAgain();
    assertThat(made()).hasSize(pods);

    dataset("a", "snapshots/a/2-0");
    lookAgain();
    assertThat(made()).hasSize(pods + 1);
  }

  @Test
  void aPodThatFailedStaysUntilTheNextIsMade() {
    cleanup.runOnce();
    Pod failed = lookAgainAndFindPod();
    ends(failed, "Failed");
    cleanup.runOnce();
    assertThat(server.find(failed)).isPresent();
    lookAgain();
    assertThat(server.find(failed)).isEmpty();
    assertThat(made()).hasSize(2);
  }

  @Test
  void aPodThatSomebodyRemovedIsMadeAgainAtTheNextLook() {
    cleanup.runOnce();
    server.remove(lookAgainAndFindPod());
    lookAgain();
    assertThat(made()).hasSize(2);
  }

  @Test
  void noSecondPodIsMadeWhileOneHasNotEnded() {
    cleanup.runOnce();
    lookAgainAndFindPod();
    lookAgain();
    lookAgain();
    assertThat(made()).hasSize(1);
  }

  @Test
  void aPodOfTheLeaderBeforeIsWaitedForAndThenDeleted() {
    cleanup.runOnce();
    Pod earlier = lookAgainAndFindPod();
    NamespaceCleanup successor = leader();
    successor.runOnce();
    clock.advance(Duration.ofSeconds(EVERY));
    successor.runOnce();
    assertThat(made()).hasSize(1);
    ends(earlier, "Failed");
    clock.advance(Duration.ofSeconds(EVERY));
    successor.runOnce();
    assertThat(server.find(earlier)).isEmpty();
    assertThat(made()).hasSize(2);
  }

  @Test
  void withoutAPageOfTheListNothingIsRemoved() {
    for (int i = 1; i <= 5; i++) {
      dataset("data-" + i, "snapshots/d/" + i + "-0");
    }
    cleanup.runOnce();
    server.refuse("GET", "/analyticsruns", 410, "Expired", "The continue parameter is too old");
    clock.advance(Duration.ofSeconds(EVERY));
    assertThatThrownBy(cleanup::runOnce).isInstanceOf(KubernetesClientException.class);
    assertThat(made()).isEmpty();
  }

  @Test
  void withoutAClassForSnapshotsNoPodIsMade() {
    server.remove(snapshotClass("snapshot", List.of("*")));
    cleanup.runOnce();
    lookAgain();
    assertThat(made()).isEmpty();
  }

  @Test
  void theClassNamedSnapshotIsTakenElseTheFirstThatTheNamespaceMayUse() {
    RunClass usual = snapshotClass("snapshot", List.of("*"));
    RunClass large = snapshotClass("large", List.of(Samples.NAMESPACE));
    RunClass others = snapshotClass("a-others", List.of("elsewhere"));
    RunClass runs = Samples.runClass(Samples.classSpec(Purpose.Run));
    assertThat(NamespaceCleanup.classFor(Samples.NAMESPACE, List.of(large, usual))).contains(usual);
    assertThat(NamespaceCleanup.classFor(Samples.NAMESPACE, List.of(others, runs, large)))
        .contains(large);
    assertThat(NamespaceCleanup.classFor(Samples.NAMESPACE, List.of(others, runs))).isEmpty();
  }

  @Test
  void aListThatIsTooLongIsNotCut() {
    for (int i = 0; i < 1200; i++) {
      dataset("data-" + i, "snapshots/" + "x".repeat(500) + i + "/1-0");
    }
    cleanup.runOnce();
    lookAgain();
    assertThat(made()).isEmpty();
  }

  private NamespaceCleanup leader() {
    return new NamespaceCleanup(
        Samples.config().namespaces().getFirst(),
        new SnapshotCleanupConfig(EVERY, MIN_AGE),
        server.client(),
        new RunnerPods(server.client(), clock),
        policiesEnsured::add,
        clock);
  }

  private void lookAgain() {
    clock.advance(Duration.ofSeconds(EVERY));
    cleanup.runOnce();
  }

  private Pod lookAgainAndFindPod() {
    int before = made().size();
    lookAgain();
    assertThat(made()).hasSize(before + 1);
    Pod pod = new PodBuilder(made().getLast()).withNewStatus().withPhase("Pending").and().build();
    return server.put(pod);
  }

  private void lookAgainAndEnd() {
    ends(lookAgainAndFindPod(), "Succeeded");
    cleanup.runOnce();
  }

  private void ends(Pod pod, String phase) {
    server.put(new PodBuilder(pod).withNewStatus().withPhase(phase).and().build());
  }

  /** The Pods that were created, each with the UID that the server assigned. */
  private List<Pod> made() {
    return server.requests("POST", PODS).stream()
        .map(
            request ->
                server
                    .client()
                    .getKubernetesSerialization()
                    .unmarshal(request.body().toString(), Pod.class))
        .map(
            pod -> {
              pod.getMetadata().setUid("uid-of-" + pod.getMetadata().getName());
              return pod;
            })
        .toList();
  }

  private static List<String> inUse(Pod pod) {
    List<String> command = pod.getSpec().getContainers().getFirst().getCommand();
    return command.subList(command.indexOf("--keep") + 1, command.size());
  }

  private void dataset(String name, String path) {
    Dataset dataset =
        Samples.dataset(
            DatasetStatusBuilder.builder()
                .phase(DatasetPhase.Ready)
                .message("")
                .observedGeneration(Samples.GENERATION)
                .conditions(List.of())
                .attempt(0)
                .snapshot(Samples.snapshot(path.substring("snapshots/".length())))
                .build());
    dataset.getMetadata().setName(name);
    server.put(dataset);
  }

  private void run(RunPhase phase, String path) {
    server.put(
        Samples.run(
            Samples.spec("print(1)", null, null, null, "sales"),
            CleanupFixture.pinned(phase, new PinnedSnapshot("sales", "id", path, null, null))));
  }

  private static RunClass snapshotClass(String name, List<String> namespaces) {
    RunClass runClass = Samples.runClass(Samples.classSpec(Purpose.Snapshot, namespaces, null));
    runClass.getMetadata().setName(name);
    return runClass;
  }
}
