package dev.assay.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.DatasetMount;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RunJobTest {
  private static final String CODE = "print(1)";
  private static final Job.Limits LIMITS = new Job.Limits(1, 2, 3, 4);
  private static final List<DatasetMount> MOUNTS =
      List.of(
          new DatasetMount("a", "snapshots/a/1-0", null),
          new DatasetMount("b", "snapshots/b/1-0", "B 2024"));
  private static final Hello NEW =
      runner("datasets", "polars", "sql", "builtin", "reply", "workspace");

  @Test
  void aJobNamesTheDatasetsOfItsRunInTheirOrder() {
    assertThat(job(Samples.spec(CODE, null, null, null, "b", "a"), runner("datasets")))
        .isEqualTo(
            new Job.Python(
                CODE,
                null,
                List.of(new Job.Dataset("b", null), new Job.Dataset("a", null)),
                null,
                LIMITS));
    assertThat(job(Samples.spec(CODE, null, null, null), runner("datasets")))
        .isEqualTo(new Job.Python(CODE, null, List.of(), null, LIMITS));
  }

  @Test
  void anOldRunnerTakesTheDatasetsOfItsPod() {
    assertThat(job(Samples.spec(CODE, null, null, null, "b", "a"), runner("sources")))
        .isEqualTo(new Job.Python(CODE, null, null, null, LIMITS));
  }

  @Test
  void aRunnerThatNamesTablesIsToldTheNamesThatOwnersGave() {
    assertThat(job(Samples.spec(CODE, null, null, null, "b", "a"), NEW))
        .isEqualTo(
            new Job.Python(
                CODE,
                null,
                List.of(new Job.Dataset("b", "B 2024"), new Job.Dataset("a", null)),
                null,
                LIMITS));
  }

  @Test
  void pythonReturnsAValueOnlyWhereOneIsWanted() {
    AnalyticsRunSpec spec =
        Samples.spec(CODE, null, null, null).withReply(ReplySpec.ofRows(7)).withInput("[1]");
    assertThat(job(spec, NEW))
        .isEqualTo(new Job.Python(CODE, "[1]", List.of(), new Job.Reply(7), LIMITS));
  }

  @Test
  void polarsAndSqlAlwaysReturnAValue() {
    AnalyticsRunSpec polars =
        Samples.spec(CODE, null, null, null, "a").withLanguage(Language.POLARS);
    List<Job.Dataset> datasets = List.of(new Job.Dataset("a", null));
    assertThat(job(polars, NEW))
        .isEqualTo(new Job.Polars(CODE, null, datasets, new Job.Reply(100), LIMITS));
    AnalyticsRunSpec sql =
        polars.withLanguage(Language.SQL).withInput("{}").withReply(ReplySpec.ofRows(3));
    assertThat(job(sql, NEW))
        .isEqualTo(new Job.Sql(CODE, "{}", datasets, new Job.Reply(3), LIMITS));
  }

  @Test
  void builtinWorkHasItsArgumentsAsInput() {
    assertThat(job(builtin("{\"size\":5}"), NEW))
        .isEqualTo(
            new Job.Builtin("sample", "{\"size\":5}", List.of(new Job.Dataset("a", null)), LIMITS));
    assertThat(job(builtin(null), NEW))
        .isEqualTo(new Job.Builtin("sample", "{}", List.of(new Job.Dataset("a", null)), LIMITS));
  }

  static List<AnalyticsRunSpec> newWork() {
    AnalyticsRunSpec python = Samples.spec(CODE, null, null, null);
    return List.of(
        python.withReply(ReplySpec.ofRows(100)),
        python.withLanguage(Language.POLARS),
        python.withLanguage(Language.SQL),
        builtin(null));
  }

  @ParameterizedTest
  @MethodSource("newWork")
  void workThatAnOldRunnerDoesNotKnowIsNotSentToIt(AnalyticsRunSpec spec) {
    assertThat(RunJob.missing(spec, NEW, "usual")).isEmpty();
    assertThat(RunJob.missing(spec, runner("datasets"), "usual").orElseThrow())
        .startsWith("The runner image of class 'usual' is too old for runs ")
        .endsWith(": the class needs a newer image");
  }

  @Test
  void everyRunnerRunsPythonWithoutAReply() {
    assertThat(RunJob.missing(Samples.spec(CODE, null, null, null), runner(), "usual")).isEmpty();
  }

  private static AnalyticsRunSpec builtin(@Nullable String arguments) {
    return Samples.spec(CODE, null, null, null, "a")
        .withLanguage(Language.SQL)
        .withCode(null)
        .withBuiltin(new BuiltinSpec(Builtin.SAMPLE, arguments));
  }

  private static Job job(AnalyticsRunSpec spec, Hello runner) {
    return RunJob.of(spec, MOUNTS, runner, LIMITS);
  }

  private static Hello runner(String... features) {
    return new Hello(1, Samples.POD_UID, "nonce", "Idle", null, null, List.of(features));
  }
}
