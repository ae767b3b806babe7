package dev.assay.operator.run.execution;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.ChartSpec;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.api.v1alpha1.RunClassSpec.ArtifactLimits;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.operator.Samples;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import dev.assay.operator.runner.JobFiles;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunJobTest {
  private static final String CODE = "print(1)";
  private static final Job.Limits LIMITS = new Job.Limits(1, 2, 3, 4);
  private static final List<PinnedSnapshot> SNAPSHOTS =
      List.of(
          new PinnedSnapshot("a", "a-1-0", "snapshots/a/1-0", null, null),
          new PinnedSnapshot("b", "b-1-0", "snapshots/b/1-0", "B 2024", null));
  private static final Hello NEW =
      runner(
          "datasets",
          "polars",
          "sql",
          "builtin",
          "javascript",
          "reply",
          "workspace",
          "code",
          "files",
          "inputs",
          "keep");
  private static final Hello ARTIFACTS = runner("artifacts");

  @Test
  void aJobNamesTheDatasetsOfItsRunInTheirOrder() {
    assertThat(job(Samples.spec(CODE, null, null, null, "b", "a"), runner("datasets")))
        .isEqualTo(
            new Job.Python(
                CODE,
                null,
                List.of(new Job.Dataset("b", null, null), new Job.Dataset("a", null, null)),
                null,
                null,
                null,
                null,
                null,
                JobFiles.NONE,
                LIMITS));
    assertThat(job(Samples.spec(CODE, null, null, null), runner("datasets")))
        .isEqualTo(
            new Job.Python(
                CODE, null, List.of(), null, null, null, null, null, JobFiles.NONE, LIMITS));
  }

  @Test
  void anOldRunnerTakesTheDatasetsOfItsPod() {
    assertThat(job(Samples.spec(CODE, null, null, null, "b", "a"), runner("sources")))
        .isEqualTo(
            new Job.Python(CODE, null, null, null, null, null, null, null, JobFiles.NONE, LIMITS));
  }

  @Test
  void aRunnerThatNamesTablesIsToldTheNamesThatOwnersGave() {
    assertThat(job(Samples.spec(CODE, null, null, null, "b", "a"), NEW))
        .isEqualTo(
            new Job.Python(
                CODE,
                null,
                List.of(new Job.Dataset("b", "B 2024", null), new Job.Dataset("a", null, null)),
                null,
                null,
                null,
                null,
                null,
                JobFiles.NONE,
                LIMITS));
  }

  @Test
  void pythonReturnsAValueOnlyWhereOneIsWanted() {
    AnalyticsRunSpec spec =
        Samples.spec(CODE, null, null, null).withReply(ReplySpec.ofRows(7)).withInput("[1]");
    assertThat(job(spec, NEW))
        .isEqualTo(
            new Job.Python(
                CODE,
                "[1]",
                List.of(),
                new Job.Reply(7, null, null),
                null,
                null,
                null,
                null,
                JobFiles.NONE,
                LIMITS));
  }

  @Test
  void aScriptHasItsLanguageItsInputAndNothingElse() {
    AnalyticsRunSpec script =
        Samples.spec(CODE, null, null, null).withLanguage(Language.TYPESCRIPT).withInput("[1]");
    assertThat(job(script, NEW))
        .isEqualTo(new Job.JavaScript(CODE, "typescript", "[1]", null, LIMITS));
    assertThat(job(script.withLanguage(Language.JAVASCRIPT).withInput(null), NEW))
        .isEqualTo(new Job.JavaScript(CODE, "javascript", null, null, LIMITS));
  }

  @Test
  void polarsAndSqlAlwaysReturnAValue() {
    AnalyticsRunSpec polars =
        Samples.spec(CODE, null, null, null, "a").withLanguage(Language.POLARS);
    List<Job.Dataset> datasets = List.of(new Job.Dataset("a", null, null));
    assertThat(job(polars, NEW))
        .isEqualTo(
            new Job.Polars(
                CODE, null, datasets, new Job.Reply(100, null, null), JobFiles.NONE, LIMITS));
    AnalyticsRunSpec sql =
        polars.withLanguage(Language.SQL).withInput("{}").withReply(ReplySpec.ofRows(3));
    assertThat(job(sql, NEW))
        .isEqualTo(
            new Job.Sql(CODE, "{}", datasets, new Job.Reply(3, null, null), JobFiles.NONE, LIMITS));
  }

  @Test
  void builtinWorkHasItsArgumentsAsInput() {
    assertThat(job(builtin("{\"size\":5}"), NEW))
        .isEqualTo(
            new Job.Builtin(
                "sample",
                "{\"size\":5}",
                List.of(new Job.Dataset("a", null, null)),
                JobFiles.NONE,
                LIMITS));
    assertThat(job(builtin(null), NEW))
        .isEqualTo(
            new Job.Builtin(
                "sample", "{}", List.of(new Job.Dataset("a", null, null)), JobFiles.NONE, LIMITS));
  }

  static List<AnalyticsRunSpec> newWork() {
    AnalyticsRunSpec python = Samples.spec(CODE, null, null, null);
    return List.of(
        python.withReply(ReplySpec.ofRows(100)),
        python.withLanguage(Language.POLARS),
        python.withLanguage(Language.SQL),
        python.withLanguage(Language.JAVASCRIPT),
        python.withLanguage(Language.TYPESCRIPT),
        python.withMode(RunMode.CODE),
        python.withFiles(List.of(new RunFile("a.py", "1"))),
        python.withInputs(List.of(new RunInput("earlier", null, null))),
        python.withKeep(List.of("a")),
        builtin(null));
  }

  @ParameterizedTest
  @MethodSource("newWork")
  void workThatAnOldRunnerDoesNotKnowIsNotSentToIt(AnalyticsRunSpec spec) {
    assertThat(RunJob.missing(spec, null, NEW, "usual")).isEmpty();
    assertThat(RunJob.missing(spec, null, runner("datasets"), "usual").orElseThrow())
        .startsWith("The runner image of class 'usual' is too old for runs ")
        .endsWith(": the class needs a newer image");
  }

  @Test
  void chartsExportsAndTheGuardNeedARunnerThatHasThem() {
    AnalyticsRunSpec python = Samples.spec(CODE, null, null, null);
    AnalyticsRunSpec chart = python.withReply(new ReplySpec(1, new ChartSpec(null), null));
    assertThat(RunJob.missing(chart, null, runner("reply", "charts"), "usual")).isEmpty();
    assertThat(RunJob.missing(chart, null, runner("reply"), "usual").orElseThrow())
        .contains("too old for charts");
    AnalyticsRunSpec export = export();
    assertThat(RunJob.missing(export, null, runner("builtin", "inputs"), "usual").orElseThrow())
        .contains("too old for exports");
    Job.Guard guard = new Job.Guard(List.of());
    assertThat(RunJob.missing(python, guard, runner("code"), "usual")).isEmpty();
    assertThat(RunJob.missing(python, guard, runner("reply"), "usual").orElseThrow())
        .contains("too old for the guard of its code");
  }

  @Test
  void aTimeZoneIsOfTheReplyAndNeedsARunnerThatHasIt() {
    AnalyticsRunSpec sql =
        Samples.spec(CODE, null, null, null)
            .withLanguage(Language.SQL)
            .withReply(new ReplySpec(7, null, "Asia/Tokyo"));
    assertThat(RunJob.missing(sql, null, runner("sql", "timeZone"), "usual")).isEmpty();
    assertThat(RunJob.missing(sql, null, runner("sql"), "usual").orElseThrow())
        .contains("too old for queries with a time zone");
    assertThat(job(sql, NEW))
        .isEqualTo(
            new Job.Sql(
                CODE,
                null,
                List.of(),
                new Job.Reply(7, null, "Asia/Tokyo"),
                JobFiles.NONE,
                LIMITS));
  }

  @Test
  void whatIsCollectedDependsOnTheWork() {
    AnalyticsRunSpec python = Samples.spec(CODE, null, null, null);
    assertThat(folders(python)).containsExactly("artifacts");
    assertThat(folders(python.withMode(RunMode.CODE)))
        .containsExactly("data/processed", "reports", "artifacts", "models", ".work");
    assertThat(folders(python.withReply(ReplySpec.ofRows(1))))
        .containsExactly("artifacts", "results");
    assertThat(folders(python.withReply(new ReplySpec(1, new ChartSpec(null), null))))
        .containsExactly("artifacts", "results", "charts");
    assertThat(folders(python.withKeep(List.of("a")))).containsExactly("artifacts", "frames");
    assertThat(folders(python.withLanguage(Language.SQL))).containsExactly("artifacts", "results");
    assertThat(folders(export())).containsExactly("exports");
    assertThat(files(builtin(null), ARTIFACTS).collect()).isNull();
  }

  @Test
  void anExportLeavesTheFileOrTheFolderThatItsArgumentsName() {
    assertThat(collectOfExport("{\"path\": \"out/a.csv\"}"))
        .isEqualTo(new JobFiles.Collect(List.of(), List.of("out/a.csv"), null, 10, 1000));
    assertThat(collectOfExport("{\"path\": \"out/by\", \"partitionBy\": \"a\"}"))
        .isEqualTo(JobFiles.Collect.folders(List.of("out/by"), 10, 1000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"path\": \"../a\"}", "{\"path\": 7}", "{}", "[]", "{", "{\"path\": \"/a\"}"})
  void anExportWithoutAValidPathLeavesWhatIsInTheUsualFolder(String arguments) {
    assertThat(collectOfExport(arguments))
        .isEqualTo(JobFiles.Collect.folders(List.of("exports"), 10, 1000));
  }

  private static JobFiles.@Nullable Collect collectOfExport(String arguments) {
    AnalyticsRunSpec export = export();
    return files(export.withBuiltin(new BuiltinSpec(Builtin.EXPORT, arguments)), ARTIFACTS)
        .collect();
  }

  @Test
  void theLimitsOfTheClassAreSentAndNothingIsCollectedIfTheyAreZero() {
    AnalyticsRunSpec python = Samples.spec(CODE, null, null, null);
    assertThat(files(python, ARTIFACTS).collect())
        .isEqualTo(JobFiles.Collect.folders(List.of("artifacts"), 10, 1000));
    assertThat(RunFiles.of(python, List.of(), ARTIFACTS, new ArtifactLimits(0, 10)).collect())
        .isNull();
    assertThat(files(python, NEW).collect()).as("of a runner that collects nothing").isNull();
  }

  @Test
  void filesInputsAndKeptFramesAreSentAsTheRunHasThem() {
    AnalyticsRunSpec spec =
        Samples.spec(CODE, null, null, null)
            .withFiles(List.of(new RunFile("lib/a.py", "X = 1")))
            .withKeep(List.of("total"));
    List<PinnedInput> inputs =
        List.of(
            new PinnedInput("e", "u", 7, "exports/a.csv", 1, "s", "old/a.csv", null),
            new PinnedInput("e", "u", 2, "frames/sales.arrow", 1, "s", null, "sales"),
            new PinnedInput("e", "u", 3, "frames/only.parquet", 1, "s", null, "only"));
    assertThat(RunFiles.of(spec, inputs, NEW, Samples.ARTIFACTS))
        .isEqualTo(
            new JobFiles(
                List.of(new JobFiles.TextFile("lib/a.py", "X = 1")),
                List.of(
                    new JobFiles.Input(1, "old/a.csv", null, null),
                    new JobFiles.Input(2, null, "sales", "arrow"),
                    new JobFiles.Input(3, null, "only", "parquet")),
                List.of("total"),
                null));
  }

  @Test
  void theMembersAreThoseOfTheProtocol() {
    AnalyticsRunSpec spec =
        Samples.spec(CODE, null, null, null)
            .withMode(RunMode.CODE)
            .withCaller("me@example.com")
            .withKeep(List.of("total"))
            .withFiles(List.of(new RunFile("a.py", "1")));
    JsonNode job =
        new ObjectMapper()
            .valueToTree(job(spec, ARTIFACTS, List.of(), new Job.Guard(List.of("networkx"))));
    assertThat(job)
        .hasToString(
            """
            {"kind":"python","code":"CODE","mode":"code","scriptName":"me-example.com_run-1",\
            "guard":{"allowedModules":["networkx"]},"files":[{"path":"a.py","text":"1"}],\
            "keep":["total"],"collect":{"folders":["data/processed","reports","artifacts","models",\
            "frames",".work"],"maxCount":10,"maxBytes":1000},"limits":{"timeoutMs":1,\
            "startTimeoutMs":2,"stopGraceMs":3,"outputBytes":4}}\
            """
                .replace("CODE", CODE));
    AnalyticsRunSpec chart =
        Samples.spec(CODE, null, null, null)
            .withLanguage(Language.SQL)
            .withReply(new ReplySpec(5, new ChartSpec(null), null));
    assertThat(new ObjectMapper().<JsonNode>valueToTree(job(chart, NEW)).path("reply"))
        .hasToString("{\"rows\":5,\"chart\":{\"type\":null}}");
  }

  @Test
  void theNameOfAScriptIsThatOfAFileWhoeverCalls() {
    AnalyticsRunSpec spec = Samples.spec(CODE, null, null, null);
    assertThat(RunJob.scriptName(Samples.run(spec, null))).isEqualTo("agent_run-1");
    assertThat(RunJob.scriptName(Samples.run(spec.withCaller("../ä\n/x"), null)))
        .matches("[A-Za-z0-9][A-Za-z0-9._-]*_run-1");
    assertThat(RunJob.scriptName(Samples.run(spec.withCaller("x".repeat(253)), null)))
        .hasSize(128)
        .endsWith("x_run-1");
    assertThat(RunJob.scriptName(Samples.run(spec.withCaller("-".repeat(253)), null)))
        .isEqualTo("run-1");
  }

  private static JobFiles files(AnalyticsRunSpec spec, Hello runner) {
    return RunFiles.of(spec, List.of(), runner, new ArtifactLimits(1000, 10));
  }

  private static List<String> folders(AnalyticsRunSpec spec) {
    return Objects.requireNonNull(files(spec, ARTIFACTS).collect()).folders();
  }

  private static AnalyticsRunSpec export() {
    return builtin(null)
        .withBuiltin(new BuiltinSpec(Builtin.EXPORT, null))
        .withInputs(List.of(new RunInput("earlier", "results/result.parquet", null)));
  }

  @Test
  void everyRunnerRunsPythonWithoutAReply() {
    assertThat(RunJob.missing(Samples.spec(CODE, null, null, null), null, runner(), "usual"))
        .isEmpty();
  }

  private static AnalyticsRunSpec builtin(@Nullable String arguments) {
    return Samples.spec(CODE, null, null, null, "a")
        .withLanguage(Language.SQL)
        .withCode(null)
        .withBuiltin(new BuiltinSpec(Builtin.SAMPLE, arguments));
  }

  @Test
  void aPodThatWasMadeBeforeItsRunIsToldWhereSnapshotsAre() {
    Job job =
        RunJob.of(
            Samples.run(Samples.spec(CODE, null, null, null, "b"), null),
            new RunJob.Read(SNAPSHOTS, false, List.of()),
            NEW,
            new RunJob.ClassPolicy(new ArtifactLimits(1000, 10), null, null),
            LIMITS);
    assertThat(((Job.Python) job).datasets())
        .containsExactly(new Job.Dataset("b", "B 2024", "snapshots/b/1-0"));
  }

  private static Job job(AnalyticsRunSpec spec, Hello runner) {
    return job(spec, runner, List.of(), null);
  }

  private static Job job(
      AnalyticsRunSpec spec, Hello runner, List<PinnedInput> inputs, Job.@Nullable Guard guard) {
    return RunJob.of(
        Samples.run(spec, null),
        new RunJob.Read(SNAPSHOTS, true, inputs),
        runner,
        new RunJob.ClassPolicy(new ArtifactLimits(1000, 10), guard, null),
        LIMITS);
  }

  private static Hello runner(String... features) {
    return new Hello(1, Samples.POD_UID, "nonce", "Idle", null, null, null, List.of(features));
  }
}
