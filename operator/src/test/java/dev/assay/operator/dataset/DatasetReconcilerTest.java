package dev.assay.operator.dataset;

import static dev.assay.operator.Samples.DATASET_UID;
import static dev.assay.operator.Samples.GENERATION;
import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.json;
import static dev.assay.operator.runner.FakeRunner.meanwhile;
import static dev.assay.operator.runner.FakeRunner.more;
import static dev.assay.operator.runner.FakeRunner.nothing;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.UploadSource;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.operator.CutStream;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.FakeApiServer.Request;
import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.TrackedThreads;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.kubernetes.UnschedulablePods.CallersPod;
import dev.assay.operator.runner.FakeRunner;
import dev.assay.operator.runner.RunnerClient;
import dev.assay.operator.signing.SigningKeySecret;
import dev.assay.operator.signing.SigningKeys;
import dev.assay.operator.upload.UploadKey;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DatasetReconcilerTest {
  private final ProgramMetrics metrics = ProgramMetrics.create();
  private static final String POD_PATH = "/namespaces/" + NAMESPACE + "/pods";
  private static final String STATUS = "/datasets/sales/status";
  private static final String FIRST = "snapshot-" + DATASET_UID + "-3-0";
  private static final String SECOND = "snapshot-" + DATASET_UID + "-3-1";
  private static final UploadKey UPLOAD = new UploadKey(NAMESPACE, DATASET_UID, "u1");
  private static final Duration PENDING = Duration.ofMinutes(5);
  private static final String SUCCESS =
      "{\"type\":\"result\",\"seq\":2,\"outcome\":\"Succeeded\",\"durationMs\":1,"
          + "\"output\":{\"bytes\":0,\"storedBytes\":0},"
          + "\"value\":{\"sha256\":\""
          + "ab".repeat(32)
          + "\",\"bytes\":4,\"rows\":1,\"columnCount\":1,\"memoryBytes\":8,\"frame\":\"arrow\","
          + "\"columns\":[{\"name\":\"a\",\"type\":\"int64\",\"nulls\":0}]}}";

  private final ManualClock clock = new ManualClock();
  private final FakeApiServer api = new FakeApiServer();
  private final FakeDatasetResources resources = new FakeDatasetResources();
  private final SigningKeys keys =
      new SigningKeys(new SigningKeySecret(api.client(), "assay-system", clock));
  private final FakeRunner runner = new FakeRunner(keys.current());
  private final RunnerClient runners = new RunnerClient(clock);
  private final Uploads uploads = new Uploads();
  private final TrackedThreads threads = new TrackedThreads();
  private final ManualThreads afterPause = new ManualThreads();
  private final ManualThreads eventThreads = new ManualThreads();
  private final List<String> shutIn = new ArrayList<>();
  private final Datasets datasets = datasets(threads.executor());

  @AfterEach
  void stop() {
    runner.close();
    runners.close();
    api.close();
    threads.executor().shutdownNow();
  }

  @Test
  void aDatasetOfNoClassIsRefused() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    resources.runClass = null;
    assertThat(reconcile()).isNull();
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().message()).contains("There is no class 'snapshot'");
    assertThat(creations()).isEmpty();
    assertThat(eventReasons()).containsExactly("Failed");
    reconcile();
    assertThat(statusWrites()).as("a second look writes nothing").isEqualTo(1);
  }

  @Test
  void aDatasetOfANewerVersionIsLeftAloneWithItsPods() {
    for (Consumer<ObjectNode> change :
        List.<Consumer<ObjectNode>>of(
            dataset -> dataset.withObject("/status").put("phase", "Verifying"),
            dataset -> dataset.withObject("/spec/source").put("format", "orc"),
            dataset -> {
              dataset.withObject("/spec/source").remove("inline");
              dataset.withObject("/spec/source/database").put("table", "t");
            })) {
      datasetIs(Samples.dataset((DatasetStatus) null));
      podIs(SECOND, pod -> pod);
      api.change(Samples.dataset((DatasetStatus) null), change);

      assertThat(reconcile()).isNull();

      assertThat(creations()).isEmpty();
      assertThat(deletions()).isEmpty();
      assertThat(statusWrites()).isZero();
      assertThat(SnapshotsInUse.by(read())).contains("snapshots/" + DATASET_UID + "/3-0");
    }
  }

  @Test
  void aPodIsMadeOnceAndItsNamespaceIsShutInBefore() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    api.intercept(
        request -> {
          if (request.is("POST", POD_PATH)) {
            assertThat(shutIn).contains(NAMESPACE);
          }
          return Optional.empty();
        });
    assertThat(reconcile()).isEqualTo(PENDING);
    JsonNode pod = creations().getFirst().body();
    assertThat(pod.at("/metadata/name").asText()).isEqualTo(FIRST);
    assertThat(pod.findValuesAsText("subPath")).contains("snapshots/" + DATASET_UID + "/3-0");
    assertThat(status().phase()).isEqualTo(DatasetPhase.Loading);

    reconcile();
    assertThat(statusWrites()).isEqualTo(1);
    assertThat(status().phase()).isEqualTo(DatasetPhase.Loading);
    assertThat(resources.podsMade).hasSize(1);
  }

  @Test
  void aDeclaredVolumeIsMounted() {
    datasetIs(
        Samples.dataset(
            DatasetSource.volume(DatasetFormat.CSV, null, new VolumeSource("files", "a.csv")),
            null));
    reconcile();
    assertThat(creations().getFirst().body().findValuesAsText("claimName"))
        .containsExactlyInAnyOrder("snapshots", "files-claim");
  }

  @Test
  void aQuotaIsWaitedForInItsOwnWordsMoreAndMoreSlowlyAndNotForEver() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    api.refuse("POST", POD_PATH, 403, "Forbidden", "exceeded quota: team-a");
    assertThat(reconcile()).isEqualTo(Duration.ofSeconds(1));
    assertThat(status().phase()).isEqualTo(DatasetPhase.Loading);
    assertThat(status().message()).isEqualTo("exceeded quota: team-a");
    clock.advance(Duration.ofSeconds(1));
    assertThat(reconcile()).isEqualTo(Duration.ofSeconds(2));
    assertThat(creations()).hasSize(2);

    clock.advance(PENDING);
    reconcile();
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().message())
        .isEqualTo("No Pod could be created within 300 s: exceeded quota: team-a");
  }

  @Test
  void datasetsOfCallersTakeTurnsForTheRoomOfAQuota() {
    AtomicBoolean full = new AtomicBoolean(true);
    api.intercept(
        request ->
            full.get() && request.is("POST", POD_PATH)
                ? Optional.of(FakeApiServer.failure(403, "Forbidden", "exceeded quota: team-a"))
                : Optional.empty());
    List<Dataset> waiting = List.of(of("alice", 0), of("alice", 1), of("bob", 2));
    waiting.forEach(api::put);
    waiting.forEach(dataset -> datasets.reconciler().reconcile(read(dataset), Samples.context()));
    full.set(false);
    clock.advance(Duration.ofSeconds(1));
    datasets.reconciler().reconcile(read(waiting.getFirst()), Samples.context());
    assertThat(resources.woken).containsExactly("bob-2");
  }

  private static Dataset of(String caller, int number) {
    Dataset dataset = Samples.dataset((DatasetStatus) null);
    dataset.getMetadata().setName(caller + "-" + number);
    dataset.getMetadata().setUid("uid-" + number);
    dataset
        .getMetadata()
        .setCreationTimestamp(Instant.parse(Samples.CREATED).plusSeconds(number).toString());
    dataset.setSpec(dataset.getSpec().withCaller(caller));
    return dataset;
  }

  private Dataset read(Dataset dataset) {
    return api.client()
        .resources(Dataset.class)
        .inNamespace(NAMESPACE)
        .withName(dataset.getMetadata().getName())
        .require();
  }

  @Test
  void aPolicyThatForbidsThePodIsWaitedForAsLong() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    api.refuse("POST", POD_PATH, 403, "Forbidden", "violates PodSecurity");
    assertThat(reconcile()).isEqualTo(Duration.ofSeconds(10));
    clock.advance(PENDING);
    reconcile();
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().message()).contains("300 s", "violates PodSecurity");
  }

  @Test
  void aPodThatIsNotAcceptableFailsTheDataset() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    api.refuse("POST", POD_PATH, 422, "Invalid", "spec is wrong");
    reconcile();
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().message()).isEqualTo("The Pod was rejected: spec is wrong");
  }

  @Test
  void anApiServerThatFailsIsTriedAgain() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    api.refuse("POST", POD_PATH, 500, "InternalError", "etcd is away");
    assertThatThrownBy(this::reconcile).isInstanceOf(KubernetesClientException.class);
    assertThat(statusWrites()).isZero();
  }

  @Test
  void aPodThatDoesNotRunInTimeFailsTheDatasetAndIsDeleted() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, DatasetReconcilerTest::unschedulable);
    assertThat(reconcile()).isEqualTo(PENDING);
    assertThat(status().message()).isEqualTo("Unschedulable: no room");
    clock.advance(PENDING);
    reconcile();
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().message()).contains("300 s", "no room");
    reconcile();
    assertThat(deletions()).hasSize(1);
  }

  @Test
  void aPodThatEndedIsReplacedByAnotherWithADirectoryOfItsOwn() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod.editStatus().withPhase("Failed").withReason("Evicted").endStatus());
    reconcile();
    assertThat(status().attempt()).isEqualTo(1);
    assertThat(status().message()).isEqualTo("Retrying: Evicted");
    reconcile();
    assertThat(deletions()).singleElement().satisfies(r -> assertThat(r.path()).endsWith(FIRST));
    JsonNode pod = creations().getLast().body();
    assertThat(pod.at("/metadata/name").asText()).isEqualTo(SECOND);
    assertThat(pod.findValuesAsText("subPath")).contains("snapshots/" + DATASET_UID + "/3-1");
  }

  @Test
  void aDatasetIsNotTriedForEver() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    for (int attempt = 0; attempt < Bounds.SNAPSHOT_ATTEMPTS; attempt++) {
      assertThat(status(attempt)).isNotEqualTo(DatasetPhase.Failed);
      resources.pods.clear();
      podIs(
          "snapshot-" + DATASET_UID + "-3-" + attempt,
          pod -> pod.editStatus().withPhase("Failed").withReason("Evicted").endStatus());
      reconcile();
    }
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().message()).isEqualTo("Loading failed 3 times: Evicted");
  }

  @Test
  void datasetsOfACallerTakeTurnsForNodesWithOtherCallers() {
    RunnerPods pods = new RunnerPods(api.client(), clock);
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs("snapshot-of-another", pod -> Samples.unschedulable(pod, "0/1 nodes are available"));
    resources.owners.put("snapshot-of-another", read());
    assertThat(podsRequestedWith(pods)).as("nobody else waits").isTrue();

    Pod other = resources.pods.get("snapshot-of-another");
    pods.unschedulable()
        .addSource(namespace -> Stream.of(new CallersPod(requireNonNull(other), "somebody else")));
    assertThat(podsRequestedWith(pods)).isFalse();
    assertThat(status().message())
        .isEqualTo("Queued behind other datasets of its caller, whose Pods wait for a node");

    resources.owners.clear();
    assertThat(podsRequestedWith(pods)).as("none of the caller's waits").isTrue();
  }

  @Test
  void atMostFivePodsOfDatasetsOfACallerWaitForANode() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    for (int i = 0; i < 5; i++) {
      assertThat(podsRequestedWith(new RunnerPods(api.client(), clock))).isTrue();
      String name = "snapshot-" + i;
      podIs(name, pod -> Samples.unschedulable(pod, "0/1 nodes are available"));
      resources.owners.put(name, read());
    }
    assertThat(podsRequestedWith(new RunnerPods(api.client(), clock))).isFalse();
  }

  private boolean podsRequestedWith(RunnerPods pods) {
    int before = creations().size();
    datasetIs(Samples.dataset((DatasetStatus) null));
    datasets(pods, threads.executor()).reconciler().reconcile(read(), Samples.context());
    return creations().size() > before;
  }

  @Test
  void theSnapshotOfAnUntrustedSourceSaysSo() throws Exception {
    datasetIs(Samples.dataset(Samples.inline("a\n1\n").withUntrusted(true), null));
    podIs(FIRST, pod -> pod);
    runner.on("/v1/start", events(started(1), SUCCESS));
    reconcile();
    threads.awaitIdle();

    assertThat(requireNonNull(status().snapshot()).untrusted()).isTrue();
  }

  @Test
  void aSnapshotIsMadeInThePod() throws Exception {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod);
    runner.on("/v1/start", events(started(1), SUCCESS));
    assertThat(reconcile()).isNull();
    threads.awaitIdle();
    JsonNode job = runner.accepted().getFirst().path("job");
    assertThat(job.at("/source/text").asText()).as("all of it").isEqualTo("a\n1\n");
    assertThat(status().phase()).isEqualTo(DatasetPhase.Ready);
    assertThat(requireNonNull(status().snapshot()).path())
        .isEqualTo("snapshots/" + DATASET_UID + "/3-0");
    assertThat(requireNonNull(status().snapshot()).untrusted()).isNull();
    assertThat(deletions()).hasSize(1);
    assertThat(eventReasons()).containsExactly("Ready");

    reconcile();
    assertThat(statusWrites()).as("a second look writes nothing").isEqualTo(1);
    assertThat(deletions()).as("and deletes nothing twice").hasSize(1);
  }

  @Test
  void aSnapshotIsMadeOnceHoweverOftenItIsLookedAt() {
    ManualThreads waiting = new ManualThreads();
    Datasets slow = datasets(waiting);
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod);
    slow.reconciler().reconcile(read(), Samples.context());
    slow.reconciler().reconcile(read(), Samples.context());
    assertThat(waiting.waiting()).isEqualTo(1);
  }

  @Test
  void aSourceThatCannotBeReadFailsTheDatasetInTheReadersWords() throws Exception {
    execute(
        result(2, "CodeError", 0)
            .replace(
                "\"durationMs\"",
                "\"error\":{\"type\":\"ParserError\",\"message\":\"line 3\"},\"durationMs\""));
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().message()).isEqualTo("ParserError: line 3");
    assertThat(deletions()).hasSize(1);
  }

  @Test
  void limitsThatAreReachedAreNamed() throws Exception {
    execute(result(2, "DeadlineExceeded", 0));
    assertThat(status().message()).contains("longer than its class allows");
  }

  @Test
  void aDescriptionThatIsNotUnderstoodFailsTheDataset() throws Exception {
    execute(SUCCESS.replace("arrow", "pickle"));
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().snapshot()).isNull();
  }

  @Test
  void aWorkerThatIsLostIsTriedAgain() throws Exception {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> workerEnded(pod, "Error"));
    runner.on("/v1/start", events(started(1), result(2, "WorkerLost", 0)));
    reconcile();
    threads.awaitIdle();
    assertThat(status().phase()).isEqualTo(DatasetPhase.Loading);
    assertThat(status().attempt()).isEqualTo(1);
    assertThat(deletions()).hasSize(1);
  }

  @Test
  void aWorkerThatEndedBeforeItReadAnythingIsTriedAgainButNotAtOnce() throws Exception {
    execute(FakeRunner.startFailed(2, "ProcessEnded", "killed by signal 9"));
    assertThat(status().phase()).isEqualTo(DatasetPhase.Loading);
    assertThat(status().attempt()).isEqualTo(1);
    assertThat(status().message()).contains("nothing was read", "signal 9");
    afterPause.runAll();
    DatasetReconciler next = datasets.reconciler();
    int made = creations().size();
    datasetIs(api.read(Samples.dataset((DatasetStatus) null)));
    assertThat(
            next.reconcile(api.read(Samples.dataset((DatasetStatus) null)), Samples.context())
                .getScheduleDelay())
        .hasValue(5_000L);
    assertThat(creations()).hasSize(made);
    clock.advance(Duration.ofSeconds(5));
    reconcile();
    assertThat(creations().getLast().body().at("/metadata/name").asText()).isEqualTo(SECOND);
  }

  @Test
  void aWorkerThatIsKilledForMemoryIsToldFromThePodsStatusAndNotTriedAgain() throws Exception {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod);
    runner.on(
        "/v1/start",
        events(started(1), result(2, "WorkerLost", 0))
            .then(meanwhile(() -> podIs(FIRST, pod -> workerEnded(pod, "OOMKilled")))));
    reconcile();
    threads.awaitIdle();
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().message()).contains("more memory than class");
  }

  @Test
  void aPodThatIsLostIsReplaced() throws Exception {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod);
    runner.on("/v1/start", meanwhile(resources.pods::clear).then(nothing()));
    reconcile();
    threads.awaitIdle();
    assertThat(status().attempt()).isEqualTo(1);
    assertThat(status().message()).contains("the snapshot's Pod was deleted");
  }

  @Test
  void aDatasetThatWasReplacedIsNotReadInTheEarlierOnesPod() throws Exception {
    Dataset earlier = datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod);
    datasetIs(nextGeneration());
    datasets.reconciler().reconcile(earlier, Samples.context());
    threads.awaitIdle();
    assertThat(runner.paths()).isEmpty();
    assertThat(resources.askedAgain).hasValue(0);
    afterPause.runAll();
    assertThat(resources.askedAgain).hasValue(1);

    reconcile();
    assertThat(deletions()).singleElement().satisfies(r -> assertThat(r.path()).endsWith(FIRST));
    assertThat(creations().getLast().body().at("/metadata/name").asText())
        .isEqualTo("snapshot-" + DATASET_UID + "-4-0");
  }

  @Test
  void aDatasetThatIsReplacedMeanwhileDoesNotGetTheEarlierSnapshot() throws Exception {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod);
    runner.on(
        "/v1/start",
        events(started(1)).then(meanwhile(() -> datasetIs(nextGeneration()))).then(more(SUCCESS)));
    reconcile();
    threads.awaitIdle();
    assertThat(read().getStatus()).isNull();
    assertThat(deletions()).hasSize(1);
  }

  @Test
  void anApiServerThatFailsMeanwhileIsAskedAgainLater() throws Exception {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod);
    runner.on("/v1/start", events(started(1), SUCCESS));
    api.refuse("PATCH", STATUS, 500, "InternalError", "etcd is away");
    reconcile();
    threads.awaitIdle();
    assertThat(deletions()).isEmpty();
    assertThat(afterPause.waiting()).isEqualTo(1);
    afterPause.runAll();
    assertThat(resources.askedAgain).hasValue(1);
  }

  @Test
  void aSnapshotThatIsBeingMadeIsFollowedByTheNextOperator() throws Exception {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod);
    runner.on("/v1/hello", json(200, FakeRunner.helloOf(Samples.POD_UID, "Started")));
    runner.on("/v1/start", events(started(1), SUCCESS));
    reconcile();
    threads.awaitIdle();
    assertThat(runner.ops()).containsExactly("start");
    assertThat(status().phase()).isEqualTo(DatasetPhase.Ready);
  }

  @Test
  void aPodThatWentWithItsOperatorIsReplacedByOneWithADirectoryOfItsOwn() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    reconcile();
    assertThat(creations()).hasSize(1);
    // The node is drained: the next leader finds the status and no Pod.
    resources.pods.clear();
    api.remove(resources.podsMade.getFirst());
    reconcile();
    assertThat(status().attempt()).isEqualTo(1);
    reconcile();
    JsonNode pod = creations().getLast().body();
    assertThat(pod.at("/metadata/name").asText()).isEqualTo(SECOND);
    assertThat(pod.findValuesAsText("subPath")).contains("snapshots/" + DATASET_UID + "/3-1");
  }

  @Test
  void aPodThatTheCacheDoesNotShowYetIsNotReplaced() {
    datasetIs(Samples.dataset((DatasetStatus) null));
    reconcile();
    resources.pods.clear();
    assertThat(reconcile()).isEqualTo(Duration.ofSeconds(1));
    assertThat(creations()).hasSize(1);
    assertThat(status().attempt()).isZero();
  }

  @Test
  void aDatasetThatIsDeletedWhileItIsLoadedLeavesNothingBehind() throws Exception {
    Dataset dataset = datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod);
    runner.on(
        "/v1/start",
        meanwhile(
                () -> {
                  api.remove(dataset);
                  resources.pods.clear();
                })
            .then(nothing()));
    reconcile();
    threads.awaitIdle();
    assertThat(datasets.executions()).isZero();
  }

  @Test
  void aPodWhoseKeyIsUnknownIsReplaced() throws Exception {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(
        FIRST,
        pod -> pod.editSpec().editFirstContainer().withEnv(List.of()).endContainer().endSpec());
    reconcile();
    threads.awaitIdle();
    assertThat(runner.ops()).isEmpty();
    assertThat(status().attempt()).isEqualTo(1);
    assertThat(deletions()).hasSize(1);
  }

  @Test
  void theBytesOfAnUploadGoToItsPodWhichThenReadsThem() throws Exception {
    byte[] bytes = "a\n1\n".getBytes(UTF_8);
    uploadIs(bytes.length);
    runner.on("/v1/source", FakeRunner.received(bytes));
    runner.on("/v1/start", events(started(1), SUCCESS));
    List<Uploads.Delivery> deliveries =
        whenUploading(() -> uploads.deliver(UPLOAD, bytes.length, new ByteArrayInputStream(bytes)));
    reconcile();
    threads.awaitIdle();
    assertThat(deliveries).containsExactly(Uploads.Delivery.TAKEN);
    assertThat(runner.ops()).startsWith("source", "stage");
    assertThat(runner.accepted().get(1).at("/job/source/upload/bytes").asLong()).isEqualTo(4);
    assertThat(status().phase()).isEqualTo(DatasetPhase.Ready);
    assertThat(uploads.deliver(UPLOAD, 4, InputStream.nullInputStream()))
        .as("a second time")
        .isEqualTo(Uploads.Delivery.NOT_EXPECTED);
  }

  @Test
  void anUploadThatBreaksOffFailsTheDatasetAndLeavesTheSnapshotBefore() throws Exception {
    uploadIs(9);
    datasetIs(
        Samples.dataset(
            uploadOf(9),
            DatasetStatusBuilder.builder()
                .phase(DatasetPhase.Ready)
                .observedGeneration(GENERATION - 1)
                .attempt(0)
                .snapshot(Samples.snapshot("before"))
                .build()));
    runner.on("/v1/source", FakeRunner.received(new byte[9]));
    List<Uploads.Delivery> deliveries =
        whenUploading(() -> uploads.deliver(UPLOAD, 9, new CutStream()));
    reconcile();
    threads.awaitIdle();
    assertThat(deliveries).containsExactly(Uploads.Delivery.FAILED);
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().message()).contains("was interrupted", "upload it again");
    assertThat(requireNonNull(status().snapshot()).id()).isEqualTo("before");
    assertThat(runner.ops()).doesNotContain("stage");
    assertThat(deletions()).hasSize(1);
  }

  @Test
  void aFullVolumeIsTold() throws Exception {
    uploadIs(1);
    runner.on("/v1/source", FakeRunner.refusal(503, "UploadFailed"));
    whenUploading(() -> uploads.deliver(UPLOAD, 1, new ByteArrayInputStream(new byte[1])));
    reconcile();
    threads.awaitIdle();
    assertThat(status().message()).contains("the snapshot volume is full");
  }

  @Test
  void anUploadOfAnotherLengthIsNotTakenAndTheRightOneStillIs() throws Exception {
    uploadIs(1);
    runner.on("/v1/source", FakeRunner.received(new byte[1]));
    runner.on("/v1/start", events(started(1), SUCCESS));
    List<Uploads.Delivery> deliveries =
        whenUploading(
            () -> uploads.deliver(UPLOAD, 2, new ByteArrayInputStream(new byte[2])),
            () -> uploads.deliver(UPLOAD, 1, new ByteArrayInputStream(new byte[1])));
    reconcile();
    threads.awaitIdle();
    assertThat(deliveries).containsExactly(Uploads.Delivery.WRONG_LENGTH, Uploads.Delivery.TAKEN);
    assertThat(status().phase()).isEqualTo(DatasetPhase.Ready);
  }

  @Test
  void anUploadIsTakenFromOneCallerOnly() throws Exception {
    uploadIs(1);
    runner.on("/v1/source", FakeRunner.received(new byte[1]));
    runner.on("/v1/start", events(started(1), SUCCESS));
    List<Uploads.Delivery> second = new CopyOnWriteArrayList<>();
    InputStream meanwhile =
        new FilterInputStream(new ByteArrayInputStream(new byte[1])) {
          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            second.add(uploads.deliver(UPLOAD, 1, new ByteArrayInputStream(new byte[1])));
            return super.read(bytes, offset, length);
          }
        };
    whenUploading(() -> uploads.deliver(UPLOAD, 1, meanwhile));
    reconcile();
    threads.awaitIdle();
    assertThat(second).isNotEmpty().containsOnly(Uploads.Delivery.UNDER_WAY);
    assertThat(status().phase()).isEqualTo(DatasetPhase.Ready);
  }

  @Test
  void aPodThatEndsBeforeItsUploadCameIsNotReplacedSinceTheBytesWouldNotComeAgain()
      throws Exception {
    uploadIs(1);
    whenUploading(
        () -> {
          resources.pods.clear();
          reconcile();
          return Uploads.Delivery.FAILED;
        });
    reconcile();
    threads.awaitIdle();
    assertThat(status().phase()).isEqualTo(DatasetPhase.Failed);
    assertThat(status().message()).contains("The upload was lost", "Upload it again");
    assertThat(uploads.deliver(UPLOAD, 1, InputStream.nullInputStream()))
        .isEqualTo(Uploads.Delivery.NOT_EXPECTED);
  }

  private void uploadIs(long bytes) {
    datasetIs(Samples.dataset(uploadOf(bytes), null));
    podIs(FIRST, pod -> pod);
    runner.on(
        "/v1/hello",
        json(
            200,
            FakeRunner.helloOf(Samples.POD_UID)
                .replace("}", ",\"features\":[\"sources\",\"uploads\"]}")));
  }

  private static DatasetSource uploadOf(long bytes) {
    return DatasetSource.upload(DatasetFormat.CSV, null, new UploadSource("u1", bytes));
  }

  /** Runs deliveries in order when the dataset's status reports that the Pod accepts its upload. */
  @SafeVarargs
  private List<Uploads.Delivery> whenUploading(Supplier<Uploads.Delivery>... actions) {
    List<Uploads.Delivery> deliveries = new CopyOnWriteArrayList<>();
    api.intercept(
        request -> {
          if (request.is("PATCH", STATUS)
              && FakeApiServer.statusMember(request.body(), "phase").equals("Uploading")) {
            threads
                .executor()
                .execute(
                    () -> {
                      for (Supplier<Uploads.Delivery> action : actions) {
                        deliveries.add(action.get());
                      }
                    });
          }
          return Optional.empty();
        });
    return deliveries;
  }

  private void execute(String result) throws Exception {
    datasetIs(Samples.dataset((DatasetStatus) null));
    podIs(FIRST, pod -> pod);
    runner.on("/v1/start", events(started(1), result));
    reconcile();
    threads.awaitIdle();
  }

  private Datasets datasets(ExecutorService executor) {
    return datasets(new RunnerPods(api.client(), clock), executor);
  }

  private Datasets datasets(RunnerPods pods, ExecutorService executor) {
    return new Datasets(
        Samples.config(),
        api.client(),
        resources,
        keys,
        runners,
        pods,
        uploads,
        shutIn::add,
        new EventRecorder(api.client(), eventThreads, clock),
        metrics,
        executor,
        afterPause,
        clock);
  }

  private @Nullable Duration reconcile() {
    return datasets
        .reconciler()
        .reconcile(read(), Samples.context())
        .getScheduleDelay()
        .map(Duration::ofMillis)
        .orElse(null);
  }

  private Dataset datasetIs(Dataset dataset) {
    api.put(dataset);
    return read();
  }

  private static Dataset nextGeneration() {
    Dataset next = Samples.dataset(Samples.inline("b\n2\n"), null);
    next.getMetadata().setGeneration(GENERATION + 1);
    return next;
  }

  private Dataset read() {
    return api.client().resources(Dataset.class).inNamespace(NAMESPACE).withName("sales").require();
  }

  private DatasetStatus status() {
    return requireNonNull(read().getStatus());
  }

  private @Nullable DatasetPhase status(int attempt) {
    return attempt == 0 ? null : status().phase();
  }

  private void podIs(String name, UnaryOperator<PodBuilder> change) {
    PodBuilder running =
        new PodBuilder(Samples.trusting(Samples.runningPod(runner.port()), keys.current()))
            .editMetadata()
            .withName(name)
            .endMetadata();
    resources.pods.put(name, api.put(change.apply(running).build()));
  }

  private List<Request> creations() {
    return api.requests("POST", POD_PATH);
  }

  private List<Request> deletions() {
    return api.requests("DELETE", POD_PATH);
  }

  private int statusWrites() {
    return api.requests("PATCH", STATUS).size();
  }

  private List<String> eventReasons() {
    eventThreads.runAll();
    return api.requests("POST", "/events").stream()
        .map(request -> request.body().path("reason").asText())
        .toList();
  }

  private static PodBuilder unschedulable(PodBuilder pod) {
    return Samples.unschedulable(pod, "no room");
  }

  private static PodBuilder workerEnded(PodBuilder pod, String reason) {
    return pod.editStatus()
        .addNewContainerStatus()
        .withName("worker")
        .withNewState()
        .withNewTerminated()
        .withReason(reason)
        .withExitCode(137)
        .endTerminated()
        .endState()
        .endContainerStatus()
        .endStatus();
  }
}
