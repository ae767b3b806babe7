package dev.assay.frontend.cluster;

import static dev.assay.frontend.Await.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.logging.TraceId;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpec;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.CallMemory;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.IdempotencyKey;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.RunLimits;
import dev.assay.frontend.run.RunState;
import dev.assay.frontend.run.RunSubmission;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.watch.Change;
import dev.assay.frontend.watch.ClusterException;
import dev.assay.frontend.watch.Subscription;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Against fabric8's mock of the API server, which knows neither status subresources nor rules. */
@EnableKubernetesMockClient(https = false, crud = true)
class ClusterTest {
  private static final List<String> NAMESPACES = List.of("runs");

  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesMockServer server;

  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesClient client;

  @Test
  void aRunIsFollowedFromItsCreationToItsEndAndTheCacheHasNoCode() throws Exception {
    try (ClusterRuns runs = new ClusterRuns(client, NAMESPACES);
        Subscription<AnalyticsRun> subscription = runs.follow("runs", "run-a")) {
      await(runs::hasSynced);
      AnalyticsRun created = runs.create(Fixtures.run("run-a", null));
      assertThat(created.getMetadata().getUid()).isNotBlank();
      assertThat(next(subscription).object().getSpec().code()).isEqualTo("pass");
      await(() -> !runs.list("runs").isEmpty());
      assertThat(runs.list("runs")).hasSize(1);
      assertThat(runs.list("runs").getFirst().getSpec().requestId()).isEqualTo("r1");
      assertThat(runs.list("runs").getFirst().getSpec().code()).isEmpty();
      assertThat(runs.list("elsewhere")).isEmpty();

      AnalyticsRun ended = Fixtures.run("run-a", Fixtures.succeeded("out"));
      ended.setMetadata(created.getMetadata());
      var unused = client.resource(ended).inNamespace("runs").update();
      Change<AnalyticsRun> change = next(subscription);
      assertThat(Objects.requireNonNull(change.object().getStatus().result()).output())
          .isEqualTo("out");
      await(() -> runs.list("runs").stream().allMatch(RunState::hasEnded));
      runs.detach("runs", "run-a");
      assertThat(next(subscription).deleted()).isFalse();
      assertThat(runs.read("runs", "run-a").filter(RunState::isDetached)).isPresent();

      assertThat(client.resource(ended).inNamespace("runs").delete()).isNotEmpty();
      assertThat(next(subscription).deleted()).isTrue();
      assertThat(runs.read("runs", "run-a")).isEmpty();
    }
  }

  @Test
  void runsWithWhatIsNotKnownAreListedWatchedAndReadAndHaveNotEnded() throws Exception {
    createNewer("listed");
    try (KubernetesClient own = ownClient();
        ClusterRuns runs = new ClusterRuns(own, NAMESPACES);
        Subscription<AnalyticsRun> subscription = runs.follow("runs", "watched")) {
      await(() -> !runs.list("runs").isEmpty());
      createNewer("watched");
      assertThat(RunState.phaseOf(next(subscription).object())).isEqualTo(RunPhase.Unknown);
      assertThat(runs.list("runs")).hasSize(2).noneMatch(RunState::hasEnded);
      assertThat(runs.read("runs", "watched")).isPresent();
    }
  }

  private void createNewer(String name) {
    var unused =
        generic(AnalyticsRun.class)
            .resource(
                newer(
                    """
                    apiVersion: assay.dev/v1alpha1
                    kind: AnalyticsRun
                    metadata: {name: NAME, namespace: runs}
                    spec: {language: python, code: pass, newInSpec: {a: [1]}}
                    status: {phase: Paused, reason: NewReason, newInStatus: x, pod: {name: p, uid: u, newInPod: 1}}
                    """
                        .replace("NAME", name)))
            .create();
  }

  @Test
  void whatANewerVersionHasAddedStaysInARunAndInADatasetThatIsReplaced() {
    createNewer("run-a");
    var unused =
        generic(Dataset.class)
            .resource(
                newer(
                    """
        apiVersion: assay.dev/v1alpha1
        kind: Dataset
        metadata: {name: sales, namespace: runs}
        spec: {displayName: sales, className: snapshot, new: stays, source: {format: csv, inline: {text: a}}}
        status: {phase: Ready, new: stays}
        """))
            .create();
    try (KubernetesClient own = ownClient();
        ClusterRuns runs = new ClusterRuns(own, NAMESPACES);
        ClusterDatasets datasets = new ClusterDatasets(own, NAMESPACES)) {
      runs.cancel("runs", "run-a");
      runs.detach("runs", "run-a");
      runs.invalidate("runs", "run-a");
      Dataset read = datasets.read("runs", "sales").orElseThrow();
      DatasetSource source = DatasetSource.inline(DatasetFormat.TSV, "b");
      assertThat(datasets.replace(read, read.getSpec().withSource(source))).isPresent();
    }

    GenericKubernetesResource run = generic(AnalyticsRun.class).withName("run-a").get();
    assertThat(run.<Object>get("spec", "newInSpec", "a", 0)).isEqualTo(1);
    assertThat(run.<Object>get("spec", "cancel")).isEqualTo(true);
    assertThat(run.<Object>get("status", "pod", "newInPod")).isEqualTo(1);
    GenericKubernetesResource dataset = generic(Dataset.class).withName("sales").get();
    assertThat(dataset.<Object>get("spec", "new")).isEqualTo("stays");
    assertThat(dataset.<Object>get("spec", "source", "inline", "text")).isEqualTo("b");
    assertThat(dataset.<Object>get("status", "new")).isEqualTo("stays");
  }

  private NonNamespaceOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      generic(Class<? extends HasMetadata> kind) {
    return client
        .genericKubernetesResources(ResourceDefinitionContext.fromResourceType(kind))
        .inNamespace("runs");
  }

  /** With the serialization of the front end. */
  private KubernetesClient ownClient() {
    return new KubernetesClientBuilder()
        .withConfig(client.getConfiguration())
        .withKubernetesSerialization(ObjectSerialization.create())
        .build();
  }

  private static GenericKubernetesResource newer(String yaml) {
    return Serialization.unmarshal(yaml, GenericKubernetesResource.class);
  }

  @Test
  void theSameRequestCreatesOneRunAndAnotherOneIsRefused() {
    try (ClusterRuns runs = new ClusterRuns(client, NAMESPACES)) {
      AnalyticsRun first = runs.create(Fixtures.run("run-a", null));
      AnalyticsRun second = runs.create(Fixtures.run("run-a", null));
      assertThat(second.getMetadata().getUid()).isEqualTo(first.getMetadata().getUid());

      AnalyticsRun other = Fixtures.run("run-a", null);
      var spec = other.getSpec();
      other.setSpec(
          AnalyticsRunSpecBuilder.builder()
              .className(spec.className())
              .language(spec.language())
              .code(spec.code())
              .datasets(spec.datasets())
              .timeoutSeconds(spec.timeoutSeconds())
              .caller("bob")
              .tool(spec.tool())
              .requestId(spec.requestId())
              .build());
      assertThatThrownBy(() -> runs.create(other)).isInstanceOf(ClusterException.class);
    }
  }

  @Test
  void requestsWithOneKeyAtTwoReplicasHaveOneRun() throws Exception {
    try (ClusterRuns one = new ClusterRuns(client, NAMESPACES);
        ClusterRuns other = new ClusterRuns(client, NAMESPACES);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<AnalyticsRun>> answers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        RunSubmission replica = replica(i % 2 == 0 ? one : other);
        CallContext call = call("r" + i);
        answers.add(
            threads.submit(() -> replica.create(Fixtures.run("unused", null).getSpec(), call)));
      }
      Set<String> uids = new HashSet<>();
      for (Future<AnalyticsRun> answer : answers) {
        uids.add(answer.get().getMetadata().getUid());
      }
      assertThat(uids).hasSize(1);
      assertThatThrownBy(
              () ->
                  replica(other)
                      .create(Fixtures.run("unused", null).getSpec().withCode("other"), call("r9")))
          .hasMessageStartingWith("the idempotency key was used for another run");
    }
  }

  private static RunSubmission replica(ClusterRuns runs) {
    return new RunSubmission(
        runs,
        FakeRunClasses.usual(),
        new RunWait(runs, Duration.ofSeconds(1), Duration.ofSeconds(1)),
        () -> "unused");
  }

  private static CallContext call(String requestId) {
    return new CallContext(
        new Identity("alice", "runs"),
        requestId,
        Progress.NONE,
        new Cancellation(),
        CallMemory.UNCOUNTED,
        Optional.of(new IdempotencyKey("k")),
        TraceId.random());
  }

  @Test
  void aRunIsCancelledAndOneThatIsGoneIsLeftAlone() {
    try (ClusterRuns runs = new ClusterRuns(client, NAMESPACES)) {
      var unused = runs.create(Fixtures.run("run-a", null));

      runs.cancel("runs", "run-a");
      runs.cancel("runs", "run-b");

      assertThat(runs.read("runs", "run-a").orElseThrow().getSpec().cancelRequested()).isTrue();
      assertThat(runs.read("runs", "run-b")).isEmpty();
    }
  }

  @Test
  void aDatasetIsCreatedOnceFoundListedReplacedAndDeleted() throws InterruptedException {
    try (ClusterDatasets datasets = new ClusterDatasets(client, NAMESPACES)) {
      Optional<Dataset> created = datasets.create(Fixtures.dataset("sales_data", null));
      assertThat(created).isPresent();
      assertThat(datasets.create(Fixtures.dataset("sales_data", null))).isEmpty();
      await(() -> datasets.list("runs").size() == 1);
      assertThat(datasets.list("runs").getFirst().getSpec().source().inline()).isNull();

      Dataset read = datasets.read("runs", "sales-data").orElseThrow();
      DatasetSpec spec =
          DatasetSpecBuilder.builder()
              .displayName("Sales Data")
              .className("snapshot")
              .source(read.getSpec().source())
              .build();
      assertThat(datasets.replace(read, spec)).isPresent();
      assertThat(datasets.replace(read, spec)).isEmpty();
      assertThat(datasets.read("runs", "sales-data").orElseThrow().getSpec().displayName())
          .isEqualTo("Sales Data");
      assertThat(datasets.find("runs", "none")).isEmpty();
      assertThat(datasets.list("elsewhere")).isEmpty();

      assertThat(datasets.delete(read)).isTrue();
      assertThat(server.getLastRequest().getBody().readUtf8())
          .as("not a newer one of its name")
          .contains("\"uid\":\"" + read.getMetadata().getUid() + "\"");
      assertThat(datasets.delete(read)).isFalse();
      assertThat(datasets.read("runs", "sales-data")).isEmpty();
    }
  }

  @Test
  void aClassThatIsNotThereHasTheDefaultLimits() {
    try (ClusterRunClasses classes = new ClusterRunClasses(client)) {
      await(classes::hasSynced);

      assertThat(classes.limitsOf("python")).isEqualTo(RunLimits.UNKNOWN);
    }
  }

  @Test
  void theLimitsOfAClassAreRead() {
    RunClass python =
        Serialization.unmarshal(
            """
            apiVersion: assay.dev/v1alpha1
            kind: RunClass
            metadata: {name: python}
            spec:
              purpose: Run
              allowedNamespaces: ["*"]
              image: runner
              resources: {cpu: "1", memory: 512Mi}
              scratch: {sizeLimit: 64Mi, medium: Memory}
              timeouts: {defaultSeconds: 20, maxSeconds: 600, pendingSeconds: 77}
              output: {limitBytes: 1048576}
            """,
            RunClass.class);
    var unused = client.resource(python).create();
    try (ClusterRunClasses classes = new ClusterRunClasses(client)) {
      await(() -> classes.limitsOf("python").equals(new RunLimits(77, 20)));
      assertThat(classes.all()).hasSize(1);
    }
  }

  private static Change<AnalyticsRun> next(Subscription<AnalyticsRun> subscription)
      throws InterruptedException {
    Change<AnalyticsRun> change = subscription.next(Duration.ofSeconds(5));
    return Objects.requireNonNull(change, "nothing happened");
  }
}
