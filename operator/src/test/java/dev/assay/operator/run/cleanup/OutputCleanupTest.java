package dev.assay.operator.run.cleanup;

import static dev.assay.operator.Samples.NAMESPACE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.ManualThreads;
import dev.assay.operator.Samples;
import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.kubernetes.RunnerPods;
import dev.assay.operator.output.FakeOutputStore;
import dev.assay.operator.output.OutputEntry;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.fixture.FakeRunResources;
import dev.assay.operator.run.status.Ending;
import dev.assay.operator.run.status.RunEvents;
import dev.assay.operator.run.status.RunTransitions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutputCleanupTest {
  private static final int MAX_RUNS = 5;

  private final ManualClock clock = new ManualClock();
  private final FakeApiServer api = new FakeApiServer();
  private final FakeOutputStore store = new FakeOutputStore();
  private final RunOutputs outputs = new RunOutputs(store, clock);
  private final FakeRunResources resources = new FakeRunResources();
  private final List<String> definitionsRemovedIn = new ArrayList<>();
  private final ManualThreads eventThreads = new ManualThreads();
  private final ProgramMetrics metrics = ProgramMetrics.create();
  private final EarlyRemoval early =
      new EarlyRemoval(
          resources,
          new RunCleanup(
              api.client(),
              new RunnerPods(api.client(), clock),
              outputs,
              Duration.ofHours(1),
              clock),
          new RunEvents(new EventRecorder(api.client(), eventThreads, clock)),
          MAX_RUNS,
          EarlyRemoval.counter(metrics, List.of(NAMESPACE)),
          clock);
  private final OutputExcess excess =
      new OutputExcess(resources, outputs, new OutputStoreConfig("/outputs", MAX_RUNS, 1000, 10));
  private final OutputCleanup cleanup =
      new OutputCleanup(
          List.of(NAMESPACE),
          List.of(
              new OutputIndexes(outputs, clock)::load,
              new OrphanedOutput(api.client(), resources, outputs)::remove,
              early::remove,
              excess::removeOfCache,
              excess::remove,
              definitionsRemovedIn::add));

  @AfterEach
  void stop() {
    cleanup.close();
    api.close();
  }

  @Test
  void definitionsOfToolsAreRemovedThoughTheRestFails() {
    store.failNext(10);
    cleanup.runOnce();
    assertThat(definitionsRemovedIn).containsExactly(NAMESPACE);
  }

  @Test
  void endedRunsGoBeforeTheirTimeWhereANamespaceHasAlmostAsManyAsItMayHave() throws IOException {
    List<AnalyticsRun> ended = new ArrayList<>();
    for (int i = 0; i < MAX_RUNS; i++) {
      AnalyticsRun run = Samples.run();
      run.getMetadata().setName("ended-" + i);
      run.getMetadata().setUid("uid-" + i);
      run.setStatus(
          RunTransitions.finished(
                  run, Ending.notStarted(RunReason.Cancelled, "no"), null, clock.instant())
              .orElseThrow());
      ended.add(api.put(run));
      resources.runUids.add("uid-" + i);
      store.append(NAMESPACE, "uid-" + i, 0, "x".getBytes(UTF_8));
      clock.advance(Duration.ofSeconds(1));
    }
    resources.cachedRuns.addAll(ended);
    cleanup.runOnce();
    assertThat(api.find(ended.getFirst())).as("somebody may wait for it").isPresent();
    clock.advance(RunExcess.KEPT);
    cleanup.runOnce();
    assertThat(api.find(ended.getFirst())).isEmpty();
    assertThat(outputs.entries(NAMESPACE)).extracting(OutputEntry::runUid).doesNotContain("uid-0");
    assertThat(api.find(ended.get(1))).isPresent();
    assertThat(metrics.text())
        .contains("assay_runs_removed_early_total{namespace=\"" + NAMESPACE + "\"} 1.0\n");
    eventThreads.runAll();
    assertThat(api.requests("POST", "/events"))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.body().path("reason").asText()).isEqualTo("RemovedEarly");
              assertThat(event.body().path("message").asText())
                  .startsWith("Ended runs deleted before their time to live: 1.");
            });
  }

  @Test
  void outputGoesSoonAfterItsRunWasDeleted() throws IOException {
    for (int i = 0; i < MAX_RUNS; i++) {
      runWithOutput(i);
    }
    cleanup.runOnce();
    assertThat(api.requests("GET", "/analyticsruns")).as("nothing to ask for").isEmpty();

    api.remove(run("run-3", "uid-3"));
    resources.runUids.remove("uid-3");
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE))
        .containsExactlyInAnyOrder("uid-0", "uid-1", "uid-2", "uid-4");
  }

  @Test
  void outputOfARunThatOnlyTheCacheDoesNotShowStays() throws IOException {
    for (int i = 0; i < MAX_RUNS; i++) {
      api.put(run("run-" + i, "uid-" + i));
      store("uid-" + i);
    }
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).hasSize(MAX_RUNS);
  }

  @Test
  void outputOfARunThatIsCreatedWhileRunsAreListedStays() throws IOException {
    store("orphan");
    api.intercept(
        request -> {
          if (request.is("GET", "/analyticsruns")) {
            storeQuietly("younger");
          }
          return Optional.empty();
        });
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).containsExactly("younger");
  }

  @Test
  void outputThatIsStillWrittenIsLeftToItsExecution() throws IOException {
    outputs.append(NAMESPACE, "executed", 0, "x".getBytes(UTF_8));
    cleanup.runOnce();
    assertThat(store.text(NAMESPACE, "executed")).isEqualTo("x");
  }

  @Test
  void theOldestCachedValuesGoAndTheirOutputStays() throws IOException {
    for (int i = 0; i < 3; i++) {
      runWithOutput(i);
      clock.advance(Duration.ofSeconds(1));
      outputs.putValue(NAMESPACE, "uid-" + i, "[1,2,3]".getBytes(UTF_8));
      resources.reusableRunUids.add("uid-" + i);
    }
    resources.reusableRunUids.remove("uid-0");
    cleanup.runOnce();
    assertThat(store.value(NAMESPACE, "uid-0")).as("not cached").isPresent();
    assertThat(store.value(NAMESPACE, "uid-1")).isEmpty();
    assertThat(store.value(NAMESPACE, "uid-2")).isPresent();
    assertThat(store.storedRuns(NAMESPACE)).containsExactlyInAnyOrder("uid-0", "uid-1", "uid-2");
  }

  @Test
  void whatAnEarlierLeaderStoredIsCleanedUpToo() throws IOException {
    earlierLeaderStores("orphan");
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).isEmpty();
  }

  @Test
  void theStoreIsListedOnceAnHour() throws IOException {
    cleanup.runOnce();
    earlierLeaderStores("orphan");
    clock.advance(Duration.ofMinutes(59));
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).containsExactly("orphan");
    clock.advance(Duration.ofMinutes(1));
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).isEmpty();
  }

  @Test
  void nothingIsRemovedWhileTheApiServerDoesNotAnswer() throws IOException {
    store("orphan");
    api.refuse("GET", "/analyticsruns", 500, "InternalError", "etcd is away");
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).containsExactly("orphan");
  }

  @Test
  void aStoreThatCannotBeListedIsListedAtTheNextCleanup() throws IOException {
    earlierLeaderStores("orphan");
    store.failNext(1);
    cleanup.runOnce();
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).isEmpty();
  }

  @Test
  void outputThatCannotBeRemovedIsRemovedAtTheNextCleanup() throws IOException {
    store("orphan");
    cleanup.runOnce();
    store("another");
    store.failNext(1);
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).containsExactly("another");
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).isEmpty();
  }

  @Test
  void theOldestOutputsGoWhereThereAreTooMany() throws IOException {
    cleanup.runOnce();
    for (int i = 0; i <= MAX_RUNS; i++) {
      runWithOutput(i);
      clock.advance(Duration.ofSeconds(1));
    }
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE))
        .containsExactlyInAnyOrder("uid-1", "uid-2", "uid-3", "uid-4", "uid-5");
  }

  @Test
  void theLimitsOfTheStoreApplyAlsoWhereOrphansCannotBeRemoved() throws IOException {
    for (int i = 0; i <= MAX_RUNS; i++) {
      runWithOutput(i);
    }
    store("orphan");
    api.refuse("GET", "/analyticsruns", 500, "InternalError", "etcd is away");
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).hasSize(MAX_RUNS);
  }

  @Test
  void outputOfARunThatHasNotEndedMakesNoRoomForOthers() throws IOException {
    cleanup.runOnce();
    for (int i = 0; i <= MAX_RUNS; i++) {
      runWithOutput(i);
      clock.advance(Duration.ofSeconds(1));
    }
    resources.unfinishedRunUids.add("uid-0");
    cleanup.runOnce();
    assertThat(store.storedRuns(NAMESPACE)).contains("uid-0").doesNotContain("uid-1");
  }

  private void runWithOutput(int number) throws IOException {
    api.put(run("run-" + number, "uid-" + number));
    resources.runUids.add("uid-" + number);
    store("uid-" + number);
  }

  private void store(String uid) throws IOException {
    outputs.append(NAMESPACE, uid, 0, "x".getBytes(UTF_8));
    outputs.finish(NAMESPACE, uid, false);
  }

  private void earlierLeaderStores(String uid) throws IOException {
    store.append(NAMESPACE, uid, 0, "x".getBytes(UTF_8));
  }

  private void storeQuietly(String uid) {
    try {
      store(uid);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static AnalyticsRun run(String name, String uid) {
    AnalyticsRun run = Samples.run();
    run.getMetadata().setName(name);
    run.getMetadata().setUid(uid);
    return run;
  }
}
