package dev.assay.operator.run.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.AnalyticsRunStatusBuilder;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.DatasetStatusBuilder;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.Snapshot;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunAdmissionTest {
  private final RunClass python = Samples.runClass(Samples.classSpec(Purpose.Run));
  private final Map<String, Dataset> datasets = new HashMap<>();
  private final Map<String, AnalyticsRun> runs = new HashMap<>();
  private final List<RunClass> classes = new ArrayList<>();

  @Test
  void aRunWithinItsClassIsAdmittedWithTheClassesDefaults() {
    assertThat(decide(Samples.run(), python))
        .isEqualTo(
            new RunAdmission.Admitted(
                List.of(),
                List.of(),
                new RunLimits(Duration.ofSeconds(30), 1024 * 1024, "512Mi", Samples.ARTIFACTS)));
  }

  @Test
  void aRunMayAskForLessOutputAndMoreTimeThanTheDefault() {
    AnalyticsRun run = Samples.run(Samples.spec("1", 120, 2048, null), null);
    assertThat(decide(run, python))
        .isEqualTo(
            new RunAdmission.Admitted(
                List.of(),
                List.of(),
                new RunLimits(Duration.ofSeconds(120), 2048, "512Mi", Samples.ARTIFACTS)));
  }

  @Test
  void moreOutputThanTheClassKeepsIsCutToTheClassesLimit() {
    AnalyticsRun run = Samples.run(Samples.spec("1", null, 64 * 1024 * 1024, null), null);
    assertThat(decide(run, python))
        .isEqualTo(
            new RunAdmission.Admitted(
                List.of(),
                List.of(),
                new RunLimits(Duration.ofSeconds(30), 1024 * 1024, "512Mi", Samples.ARTIFACTS)));
  }

  @Test
  void aMissingAForbiddenAndAWrongPurposedClassGetTheSameAnswer() {
    RunAdmission.Decision missing = decide(Samples.run(), null);
    RunClassSpec elsewhere = Samples.classSpec(Purpose.Run, List.of("team-b"), null);
    assertThat(missing)
        .isEqualTo(
            new RunAdmission.Refused(
                RunReason.ClassNotAllowed,
                "There is no class 'python' for runs in this namespace"));
    assertThat(decide(Samples.run(), Samples.runClass(elsewhere))).isEqualTo(missing);
    assertThat(decide(Samples.run(), Samples.runClass(Samples.classSpec(Purpose.Snapshot))))
        .isEqualTo(missing);
  }

  @Test
  void aTimeoutAboveTheClassesMaximumIsRefusedAndNotCut() {
    assertRefused(
        Samples.run(Samples.spec("1", 121, null, null), null),
        RunReason.InvalidSpec,
        "at most 120");
  }

  @Test
  void aDatasetNamedTwiceIsRefused() {
    datasets.put(
        "a",
        dataset(
            DatasetStatusBuilder.builder()
                .observedGeneration(1L)
                .attempt(0)
                .snapshot(Samples.snapshot("s"))
                .build()));
    assertRefused(Samples.run("a", "a"), RunReason.InvalidSpec, "twice");
  }

  @Test
  void anUnknownDatasetIsRefusedByName() {
    assertRefused(Samples.run("nope"), RunReason.DatasetNotFound, "'nope'");
  }

  @Test
  void aDatasetThatIsStillLoadingIsWaitedFor() {
    datasets.put("a", dataset(null));
    assertThat(decide(Samples.run("a"), python))
        .isEqualTo(new RunAdmission.WaitForDataset("Dataset 'a' is not ready yet"));
  }

  @Test
  void aDatasetThatFailedIsNotWaitedForAndItsOwnWordsAreTold() {
    datasets.put(
        "a",
        dataset(
            DatasetStatusBuilder.builder()
                .phase(DatasetPhase.Failed)
                .message("bad quote")
                .observedGeneration(3L)
                .attempt(0)
                .build()));
    assertRefused(Samples.run("a"), RunReason.DatasetNotFound, "bad quote");
  }

  @Test
  void aFailureOfAnEarlierGenerationSaysNothingOfTheDatasetAsItIsNow() {
    long earlier = Samples.GENERATION - 1;
    for (Long observed : new Long[] {earlier, null}) {
      datasets.put(
          "a",
          dataset(
              DatasetStatusBuilder.builder()
                  .phase(DatasetPhase.Failed)
                  .message("bad")
                  .observedGeneration(observed)
                  .attempt(0)
                  .build()));
      assertThat(decide(Samples.run("a"), python))
          .isEqualTo(new RunAdmission.WaitForDataset("Dataset 'a' is not ready yet"));
    }
  }

  @Test
  void aDatasetThatFailedToReloadIsReadFromTheSnapshotItStillHas() {
    Snapshot old = Samples.snapshot("old");
    datasets.put(
        "a",
        dataset(
            DatasetStatusBuilder.builder()
                .phase(DatasetPhase.Failed)
                .message("x")
                .observedGeneration(3L)
                .attempt(0)
                .snapshot(old)
                .build()));
    assertThat(decide(Samples.run("a"), python))
        .isEqualTo(
            new RunAdmission.Admitted(
                List.of(new PinnedSnapshot("a", "old", "snapshots/old", "sales", null)),
                List.of(),
                new RunLimits(Duration.ofSeconds(30), 1024 * 1024, "512Mi", Samples.ARTIFACTS)));
  }

  @Test
  void snapshotsArePinnedInTheOrderTheRunNamesThem() {
    for (String name : List.of("a", "b", "c")) {
      datasets.put(
          name,
          dataset(
              DatasetStatusBuilder.builder()
                  .phase(DatasetPhase.Ready)
                  .message("")
                  .observedGeneration(3L)
                  .attempt(0)
                  .snapshot(Samples.snapshot(name))
                  .build()));
    }
    assertThat(decide(Samples.run("c", "a", "b"), python))
        .isInstanceOfSatisfying(
            RunAdmission.Admitted.class,
            admitted ->
                assertThat(admitted.snapshots())
                    .extracting(PinnedSnapshot::dataset)
                    .containsExactly("c", "a", "b"));
  }

  @Test
  void aClassThatIsTooSmallForTheDatasetsIsRefusedWithTheSmallestThatFits() {
    datasets.put("a", taking(300L << 20));
    datasets.put("b", taking(500L << 20));
    classes.add(withMemory("huge", "64Gi", Purpose.Run));
    classes.add(withMemory("large", "8Gi", Purpose.Run));
    classes.add(withMemory("loading", "2Gi", Purpose.Snapshot));

    assertRefused(
        Samples.run("a", "b"),
        RunReason.ClassTooSmall,
        "Loading a, b takes 960 MiB with Python itself, and class 'python' has 512 MiB: use"
            + " class 'large'");
  }

  @Test
  void sqlNeedsTheSameMemoryWhateverTheDatasetsAre() {
    datasets.put("a", taking(1L << 40));
    AnalyticsRun run = ofSql(Samples.run("a"));

    assertThat(decide(run, ofSql(withMemory("sql", "384Mi", Purpose.Run))))
        .isInstanceOf(RunAdmission.Admitted.class);

    classes.add(ofSql(withMemory("sql-large", "8Gi", Purpose.Run)));
    assertThat(decide(run, ofSql(withMemory("sql", "383Mi", Purpose.Run))))
        .isEqualTo(
            new RunAdmission.Refused(
                RunReason.ClassTooSmall,
                "Running sql takes 384 MiB, and class 'sql' has 383 MiB: use class 'sql-large'"));
  }

  @Test
  void pythonWithoutDatasetsNeedsTheMemoryOfItsWorker() {
    assertThat(decide(Samples.run(), withMemory("small", "159Mi", Purpose.Run)))
        .isEqualTo(
            new RunAdmission.Refused(
                RunReason.ClassTooSmall,
                "Running python takes 160 MiB, and class 'small' has 159 MiB; no class of this"
                    + " namespace has enough: ask the platform team for one"));
  }

  @Test
  void scriptsNeedTheMemoryOfTheirWorker() {
    AnalyticsRun run = Samples.run();
    run.setSpec(run.getSpec().withLanguage(Language.JAVASCRIPT));

    assertThat(decide(run, ofScripts(withMemory("javascript", "256Mi", Purpose.Run))))
        .isInstanceOf(RunAdmission.Admitted.class);
    assertThat(decide(run, ofScripts(withMemory("javascript", "255Mi", Purpose.Run))))
        .isEqualTo(
            new RunAdmission.Refused(
                RunReason.ClassTooSmall,
                "Running javascript takes 256 MiB, and class 'javascript' has 255 MiB; no class of"
                    + " this namespace has enough: ask the platform team for one"));
  }

  @Test
  void aQueryOverTwoDatasetsOfOneTableNameIsRefused() {
    datasets.put("a", named("Sales 2024"));
    datasets.put("sales-2024", named(null));
    AnalyticsRun run = Samples.run("a", "sales-2024");
    String words =
        "Datasets 'a' and 'sales-2024' both have the table name 'sales_2024'; name one of them, or"
            + " load one under another name";

    for (Language language : List.of(Language.SQL, Language.POLARS)) {
      assertThat(query(run, language))
          .isEqualTo(new RunAdmission.Refused(RunReason.InvalidSpec, words));
    }
    run.setSpec(run.getSpec().withReply(ReplySpec.ofRows(1)));
    assertRefused(run, RunReason.InvalidSpec, words);
  }

  @Test
  void aTableNameThatIsTheResourceNameOfAnotherDatasetIsRefusedToo() {
    datasets.put("a", named("b"));
    datasets.put("b", named("c"));

    assertThat(query(Samples.run("a", "b"), Language.SQL)).isInstanceOf(RunAdmission.Refused.class);
    assertThat(query(Samples.run("b"), Language.SQL)).isInstanceOf(RunAdmission.Admitted.class);
  }

  @Test
  void builtinWorkAndScriptsMayHaveDatasetsOfOneTableName() {
    datasets.put("a", named("Sales"));
    datasets.put("sales", named("sales"));
    AnalyticsRun run = Samples.run("a", "sales");

    assertThat(decide(run, python)).isInstanceOf(RunAdmission.Admitted.class);
    run.setSpec(run.getSpec().withCode(null).withBuiltin(new BuiltinSpec(Builtin.PROFILE, null)));
    assertThat(query(run, Language.SQL)).isInstanceOf(RunAdmission.Admitted.class);
  }

  private RunAdmission.Decision query(AnalyticsRun run, Language language) {
    AnalyticsRun query = Samples.run(run.getSpec().withLanguage(language), null);
    RunClass runClass = withMemory("queries", "4Gi", Purpose.Run);
    runClass.setSpec(runClass.getSpec().withLanguages(List.of(language)));
    return decide(query, runClass);
  }

  private static Dataset named(@Nullable String displayName) {
    Dataset dataset = taking(1);
    dataset.setSpec(dataset.getSpec().withDisplayName(displayName));
    return dataset;
  }

  private static AnalyticsRun ofSql(AnalyticsRun run) {
    run.setSpec(run.getSpec().withLanguage(Language.SQL));
    return run;
  }

  private static RunClass ofScripts(RunClass runClass) {
    List<Language> scripts = List.of(Language.JAVASCRIPT, Language.TYPESCRIPT);
    runClass.setSpec(runClass.getSpec().withLanguages(scripts));
    return runClass;
  }

  private static RunClass ofSql(RunClass runClass) {
    runClass.setSpec(runClass.getSpec().withLanguages(List.of(Language.SQL)));
    return runClass;
  }

  @Test
  void whereNoClassIsLargeEnoughThatIsSaid() {
    datasets.put("a", taking(1L << 40));
    classes.add(withMemory("large", "8Gi", Purpose.Run));

    assertRefused(Samples.run("a"), RunReason.ClassTooSmall, "ask the platform team");
  }

  @Test
  void aDatasetThatJustFitsIsAdmitted() {
    datasets.put("a", taking((512L << 20) - Program.PYTHON.memoryBytes()));

    assertThat(decide(Samples.run("a"), python)).isInstanceOf(RunAdmission.Admitted.class);
  }

  @Test
  void aClassThatDoesNotRunTheLanguageIsRefusedWithThoseThatDo() {
    RunClass none = Samples.runClass(Samples.classSpec(Purpose.Run).withLanguages(List.of()));
    classes.add(withMemory("large", "8Gi", Purpose.Run));
    classes.add(withMemory("a-snapshot", "8Gi", Purpose.Snapshot));
    classes.add(withMemory("huge", "64Gi", Purpose.Run));

    assertThat(decide(Samples.run(), none))
        .isEqualTo(
            new RunAdmission.Refused(
                RunReason.InvalidSpec,
                "Class 'python' does not run python: use class 'huge' or 'large'"));
  }

  @Test
  void whereNoClassRunsTheLanguageThatIsSaid() {
    RunClass none = Samples.runClass(Samples.classSpec(Purpose.Run).withLanguages(List.of()));

    assertThat(decide(Samples.run(), none))
        .isEqualTo(
            new RunAdmission.Refused(
                RunReason.InvalidSpec,
                "Class 'python' does not run python; no class of this namespace runs it: ask the"
                    + " platform team for one"));
  }

  @Test
  void aRunWithoutAClassIsRefusedWhereNoneIsTheDefaultForItsLanguage() {
    classes.add(withMemory("large", "8Gi", Purpose.Run));
    AnalyticsRun run = Samples.run(Samples.run().getSpec().withClassName(null), null);

    assertThat(decide(run, null))
        .isEqualTo(
            new RunAdmission.Refused(
                RunReason.ClassNotAllowed,
                "spec.className is missing, and no class is the default for python in this"
                    + " namespace: use class 'large'"));
    assertThat(decide(run, python)).isInstanceOf(RunAdmission.Admitted.class);
  }

  @Test
  void aClassThatARunWasGivenAndThatIsDeletedIsNamed() {
    AnalyticsRun run =
        Samples.run(
            Samples.run().getSpec().withClassName(null),
            AnalyticsRunStatus.EMPTY.withClassName("usual"));

    assertThat(decide(run, null))
        .isEqualTo(
            new RunAdmission.Refused(
                RunReason.ClassNotAllowed, "There is no class 'usual' for runs in this namespace"));
  }

  @Test
  void theArtifactsThatARunReadsArePinned() {
    runs.put("earlier", earlier(RunPhase.Succeeded, 700));
    AnalyticsRun run = reading(new RunInput("earlier", "a.csv", "old/a.csv"));
    assertThat(decide(run, python))
        .isInstanceOfSatisfying(
            RunAdmission.Admitted.class,
            admitted ->
                assertThat(admitted.inputs())
                    .containsExactly(
                        new PinnedInput(
                            "earlier", "uid-1", 1, "a.csv", 700, "5f", "old/a.csv", null)));
  }

  @Test
  void aRunThatReadsWhatIsNotThereIsRefusedAndWaitsForNothing() {
    runs.put("earlier", earlier(RunPhase.Succeeded, 1));
    runs.put("running", running());
    assertRefused(
        reading(new RunInput("gone", null, null)),
        RunReason.ArtifactNotFound,
        "\"gone\" was not found");
    assertRefused(
        reading(new RunInput("earlier", "b.csv", null)),
        RunReason.ArtifactNotFound,
        "no artifact \"b.csv\"");
    assertRefused(
        reading(new RunInput("earlier", null, null)), RunReason.ArtifactNotFound, "kept no frames");
    assertRefused(
        reading(new RunInput("running", "a.csv", null)),
        RunReason.ArtifactNotFound,
        "has not ended");
  }

  @Test
  void inputsThatTheClassDoesNotAllowAreRefusedWithItsLimit() {
    runs.put("earlier", earlier(RunPhase.Succeeded, (64L << 20) + 1));
    assertRefused(
        reading(new RunInput("earlier", "a.csv", null)),
        RunReason.InvalidSpec,
        "67108865 bytes together, and class 'python' allows at most 67108864");
  }

  @Test
  void textsThatAreTooLongTogetherAreReadWholeAndRefusedWithTheirSum() {
    AnalyticsRunSpec cached =
        Samples.spec("", null, null, null).withFiles(List.of(new RunFile("a.py", "")));
    runs.put(
        "run-1",
        Samples.run(
            cached.withCode("x").withFiles(List.of(new RunFile("a.py", "x".repeat(262_145)))),
            null));
    assertRefused(
        Samples.run(cached, null), RunReason.InvalidSpec, "spec.files have 262145 bytes together");
  }

  private static AnalyticsRun reading(RunInput... inputs) {
    return Samples.run(Samples.spec("1", null, null, null).withInputs(List.of(inputs)), null);
  }

  private static AnalyticsRun running() {
    AnalyticsRun run = earlier(RunPhase.Running, 1);
    run.setStatus(run.getStatus().with().artifacts(null).build());
    return run;
  }

  private static AnalyticsRun earlier(RunPhase phase, long bytes) {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(new ObjectMetaBuilder().withName("earlier").withUid("uid-1").build());
    run.setSpec(Samples.spec("1", null, null, null));
    run.setStatus(
        AnalyticsRunStatusBuilder.builder()
            .phase(phase)
            .artifacts(List.of(new RunArtifact("a.csv", bytes, "5f", "text/csv")))
            .build());
    return run;
  }

  private static Dataset taking(long peakMemoryBytes) {
    return dataset(
        DatasetStatusBuilder.builder()
            .phase(DatasetPhase.Ready)
            .message("")
            .observedGeneration(3L)
            .attempt(0)
            .snapshot(Samples.snapshot("s").withPeakMemoryBytes(peakMemoryBytes))
            .build());
  }

  private static RunClass withMemory(String name, String memory, Purpose purpose) {
    RunClass runClass = Samples.runClass(Samples.classSpec(purpose, List.of("*"), null, memory));
    runClass.getMetadata().setName(name);
    return runClass;
  }

  private void assertRefused(AnalyticsRun run, RunReason reason, String words) {
    assertThat(decide(run, python))
        .isInstanceOfSatisfying(
            RunAdmission.Refused.class,
            refused -> {
              assertThat(refused.reason()).isEqualTo(reason);
              assertThat(refused.message()).contains(words);
            });
  }

  private RunAdmission.Decision decide(AnalyticsRun run, @Nullable RunClass runClass) {
    return RunAdmission.decide(
        run, runClass, this::find, name -> Optional.ofNullable(runs.get(name)), () -> classes);
  }

  private Optional<Dataset> find(String name) {
    Dataset found = datasets.get(name);
    if (found != null) {
      found.getMetadata().setName(name);
    }
    return Optional.ofNullable(found);
  }

  private static Dataset dataset(@Nullable DatasetStatus status) {
    return Samples.dataset(status);
  }
}
