package dev.assay.operator.run.execution;

import static dev.assay.operator.Samples.NAMESPACE;
import static dev.assay.operator.Samples.RUN_UID;
import static dev.assay.operator.runner.FakeRunner.events;
import static dev.assay.operator.runner.FakeRunner.result;
import static dev.assay.operator.runner.FakeRunner.started;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Bounds;
import dev.assay.api.v1alpha1.CacheKey;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunClassStatus;
import dev.assay.api.v1alpha1.RunClassStatus.WarmPoolStatus;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import dev.assay.operator.Samples;
import dev.assay.operator.run.cluster.ClassImages;
import dev.assay.operator.run.machine.Effect.Outcome;
import dev.assay.operator.runner.FakeRunner;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of the value that code returns, and whether it may answer another run. */
@Tag("slow")
class RunExecutionValueTest {
  private static final String CACHEABLE = "{\"cacheable\":true}";
  private static final String LONG =
      "{\"cacheable\":true,\"a\":\"" + "x".repeat(Bounds.MAX_STATUS_VALUE_BYTES) + "\"}";
  private static final String DIGEST = "sha256:" + "a".repeat(64);
  private static final String CLASS_STATUS = "/runclasses/python/status";

  private final ExecutionFixture f = new ExecutionFixture();

  @AfterEach
  void stop() {
    f.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Succeeded", "CodeError", "DeadlineExceeded", "Cancelled"})
  void aLongValueIsStoredBeforeTheRunnerMayForgetItWhateverTheOutcome(String outcome)
      throws Exception {
    returns(outcome, LONG);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.outputs.value(NAMESPACE, RUN_UID)).hasValue(LONG.getBytes(UTF_8));
    assertThat(written().value()).isNull();
    assertThat(written().valueBytes()).isEqualTo(LONG.length());
    assertThat(written().valueDigest()).hasSize(64);
    assertThat(f.runner.ops()).containsExactly("stage", "start", "ack");
  }

  @Test
  void aShortValueIsInTheStatusAndNotInTheStore() throws Exception {
    returns("DeadlineExceeded", "{\"table\":{}}");
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.TimedOut);
    assertThat(written().value()).isEqualTo("{\"table\":{}}");
    assertThat(f.outputs.value(NAMESPACE, RUN_UID)).isEmpty();
  }

  @Test
  void aValueThatCannotBeStoredIsRequestedAgain() throws Exception {
    f.outputs.failNext(1);
    f.runner.on("/v1/start", events(started(1), valued(2, "Succeeded", LONG)));
    f.runner.on("/v1/attach", events(valued(2, "Succeeded", LONG)));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.outputs.value(NAMESPACE, RUN_UID)).hasValue(LONG.getBytes(UTF_8));
    assertThat(f.runner.ops()).containsExactly("stage", "start", "attach", "ack");
  }

  @Test
  void aResultThatAnotherRunWouldHaveGetsItsKey() throws Exception {
    runIsOfSql();
    workerRuns("registry/runner@" + DIGEST);
    returns("Succeeded", CACHEABLE);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().imageID()).isEqualTo(DIGEST);
    assertThat(f.status().cacheKey())
        .isEqualTo(
            CacheKey.of(
                Samples.run().getSpec().withLanguage(Language.SQL),
                "python",
                List.of(),
                List.of(),
                DIGEST));
  }

  @Test
  void whatPythonReportsAsCacheableHasNoKey() throws Exception {
    workerRuns(DIGEST);
    returns("Succeeded", CACHEABLE);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().cacheKey()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"CodeError", "DeadlineExceeded", "MemoryExceeded", "Cancelled"})
  void onlyARunThatSucceededHasAKey(String outcome) throws Exception {
    runIsOfSql();
    workerRuns(DIGEST);
    returns(outcome, CACHEABLE);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().imageID()).isEqualTo(DIGEST);
    assertThat(f.status().cacheKey()).isNull();
  }

  @Test
  void aResultThatIsNotReportedAsCacheableHasNoKey() throws Exception {
    runIsOfSql();
    workerRuns(DIGEST);
    returns("Succeeded", "{\"cacheable\":false}");
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().cacheKey()).isNull();
  }

  @Test
  void aRunOfAnUnknownImageHasNoKey() throws Exception {
    runIsOfSql();
    workerRuns("");
    returns("Succeeded", CACHEABLE);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().imageID()).isNull();
    assertThat(f.status().cacheKey()).isNull();
  }

  @Test
  void theClassNamesTheDigestOfItsImageBeforeItsRunHasEnded() throws Exception {
    WarmPoolStatus pools = new WarmPoolStatus(1, 0, 2, 3, List.of());
    RunClass known = Samples.runClass(Samples.classSpec(Purpose.Run));
    known.setStatus(RunClassStatus.EMPTY.withWarmPool(pools));
    RunClass runClass = f.api.put(known);
    f.classes.add(runClass);
    workerRuns(DIGEST);
    returns("Succeeded", CACHEABLE);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    RunClass written = f.api.read(runClass);
    assertThat(written.seenImageID()).contains(DIGEST);
    assertThat(requireNonNull(written.getStatus()).warmPool()).isEqualTo(pools);
  }

  @Test
  void aClassWhoseDigestIsKnownIsNotWrittenAgain() throws Exception {
    RunClass runClass = f.api.put(Samples.runClass(Samples.classSpec(Purpose.Run)));
    f.classes.add(runClass);
    ClassImages images = f.services.images();
    images.seen("python", "runner:1", DIGEST);
    images.seen("python", "runner:1", DIGEST);
    assertThat(f.api.requests("PATCH", CLASS_STATUS))
        .as("the second reads that the cache was stale, after a conflict")
        .hasSizeLessThanOrEqualTo(2);
    RunClass seen = f.api.read(runClass);
    f.classes.set(0, seen);
    int before = f.api.requests("PATCH", CLASS_STATUS).size();
    images.seen("python", "runner:1", DIGEST);
    assertThat(f.api.requests("PATCH", CLASS_STATUS)).hasSize(before);
    assertThat(f.api.read(runClass)).isEqualTo(seen);
  }

  @Test
  void aPodOfAnEarlierImageSaysNothingAboutItsClass() {
    f.classes.add(f.api.put(Samples.runClass(Samples.classSpec(Purpose.Run))));
    f.services.images().seen("python", "runner:0", DIGEST);
    f.services.images().seen("other", "runner:1", DIGEST);
    assertThat(f.api.requests("PATCH", CLASS_STATUS)).isEmpty();
  }

  @Test
  void aClassThatCannotBeWrittenIsNoReasonToFail() throws Exception {
    f.classes.add(f.api.put(Samples.runClass(Samples.classSpec(Purpose.Run))));
    f.api.refuse("PATCH", CLASS_STATUS, 403, "Forbidden", "no");
    workerRuns(DIGEST);
    returns("Succeeded", CACHEABLE);
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().phase()).isEqualTo(RunPhase.Succeeded);
  }

  @Test
  void workThatTheRunnerDoesNotKnowIsNotSentAndTheMessageSaysWhatToDo() throws Exception {
    f.runBecomes(run -> Samples.run(run.getSpec().withLanguage(Language.SQL), run.getStatus()));
    assertThat(f.execution().run()).isEqualTo(Outcome.ENDED);
    assertThat(f.status().reason()).isEqualTo(RunReason.StartFailed);
    assertThat(f.status().message())
        .isEqualTo(
            "The runner image of class 'python' is too old for runs of SQL: the class needs a"
                + " newer image");
    assertThat(f.runner.ops()).isEmpty();
    assertThat(f.podIsDeleted()).isTrue();
  }

  private void runIsOfSql() {
    f.runBecomes(run -> Samples.run(run.getSpec().withLanguage(Language.SQL), run.getStatus()));
    String hello = FakeRunner.helloWith("sql");
    f.runner.on("/v1/hello", FakeRunner.json(200, hello));
  }

  private void returns(String outcome, String value) {
    f.runner.on("/v1/start", events(started(1), valued(2, outcome, value)));
  }

  private static String valued(long seq, String outcome, String value) {
    String base64 = Base64.getEncoder().encodeToString(value.getBytes(UTF_8));
    String event = result(seq, outcome, 0);
    return event.substring(0, event.length() - 1) + ",\"valueJson\":\"" + base64 + "\"}";
  }

  private void workerRuns(String imageID) {
    f.podBecomes(pod -> withWorker(pod, imageID));
  }

  private static Pod withWorker(Pod pod, String imageID) {
    return new PodBuilder(pod)
        .editSpec()
        .addNewContainer()
        .withName("worker")
        .withImage("runner:1")
        .endContainer()
        .endSpec()
        .editStatus()
        .addNewContainerStatus()
        .withName("worker")
        .withImageID(imageID)
        .endContainerStatus()
        .endStatus()
        .build();
  }

  private RunResult written() {
    return requireNonNull(f.status().result());
  }
}
