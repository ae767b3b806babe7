package dev.assay.operator.run;

import static dev.assay.operator.Samples.NAMESPACE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.FakeApiServer;
import dev.assay.operator.ManualClock;
import dev.assay.operator.Samples;
import dev.assay.operator.output.FakeOutputStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OutputCleanupTest {
  private final ManualClock clock = new ManualClock();
  private final FakeApiServer api = new FakeApiServer();
  private final FakeOutputStore outputs = new FakeOutputStore();
  private final FakeRunResources resources = new FakeRunResources();
  private final OutputCleanup cleanup =
      new OutputCleanup(api.client(), resources, outputs, List.of(NAMESPACE), clock);

  @AfterEach
  void stop() {
    cleanup.close();
    api.close();
  }

  @Test
  void outputGoesSoonAfterItsRunWasDeleted() throws IOException {
    for (int i = 0; i < 5; i++) {
      api.put(run("run-" + i, "uid-" + i));
      resources.runUids.add("uid-" + i);
      store("uid-" + i);
    }
    cleanup.runOnce();
    assertThat(api.requests("GET", "/analyticsruns")).as("nothing to ask for").isEmpty();

    api.remove(run("run-3", "uid-3"));
    resources.runUids.remove("uid-3");
    cleanup.runOnce();
    assertThat(outputs.storedRuns(NAMESPACE))
        .containsExactlyInAnyOrder("uid-0", "uid-1", "uid-2", "uid-4");
  }

  @Test
  void outputOfARunThatOnlyTheCacheDoesNotShowStays() throws IOException {
    for (int i = 0; i < 5; i++) {
      api.put(run("run-" + i, "uid-" + i));
      store("uid-" + i);
    }
    cleanup.runOnce();
    assertThat(outputs.storedRuns(NAMESPACE)).hasSize(5);
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
    assertThat(outputs.storedRuns(NAMESPACE)).containsExactly("younger");
  }

  @Test
  void outputThatIsStillWrittenIsLeftToItsExecution() throws IOException {
    outputs.append(NAMESPACE, "executed", 0, "x".getBytes(UTF_8));
    cleanup.runOnce();
    assertThat(outputs.text(NAMESPACE, "executed")).isEqualTo("x");
  }

  @Test
  void nothingIsRemovedWhileTheApiServerDoesNotAnswer() throws IOException {
    store("orphan");
    api.refuse("GET", "/analyticsruns", 500, "InternalError", "etcd is away");
    cleanup.runOnce();
    assertThat(outputs.storedRuns(NAMESPACE)).containsExactly("orphan");
  }

  @Test
  void aStoreThatFailsIsLookedAtAgain() throws IOException {
    store("orphan");
    outputs.failNext(1);
    cleanup.runOnce();
    cleanup.runOnce();
    assertThat(outputs.storedRuns(NAMESPACE)).isEmpty();
  }

  @Test
  void theLimitsOfTheStoreApplyAlsoWhereOrphansCannotBeRemoved() {
    outputs.failNext(1);
    cleanup.runOnce();
    assertThat(outputs.pruned()).containsExactly(NAMESPACE);
  }

  @Test
  void theStoreIsKeptWithinItsLimitsOnceAMinute() {
    cleanup.runOnce();
    cleanup.runOnce();
    assertThat(outputs.pruned()).containsExactly(NAMESPACE);
    clock.advance(Duration.ofMinutes(1));
    cleanup.runOnce();
    assertThat(outputs.pruned()).hasSize(2);
  }

  private void store(String uid) throws IOException {
    outputs.append(NAMESPACE, uid, 0, "x".getBytes(UTF_8));
    outputs.complete(NAMESPACE, uid);
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
