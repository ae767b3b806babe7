package dev.assay.operator.run.execution;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PinnedSnapshot;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.api.v1alpha1.RunTools;
import dev.assay.operator.Samples;
import dev.assay.operator.runner.Hello;
import dev.assay.operator.runner.Job;
import dev.assay.operator.tool.RunToolPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runners of each generation get the jobs that operators of their time sent. */
class RecordedJobsTest {
  private static final Path RECORDED = Path.of("..", "images", "protocol", "recorded");
  private static final ObjectMapper JSON =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
  private static final Job.Limits LIMITS = new Job.Limits(30_000, 60_000, 500, 1_048_576);
  private static final RunTools TOOLS = new RunTools(null, null, 4, null);
  private static final String CODE = "print(list(datasets))\nprint(df.shape)";
  private static final AnalyticsRunSpec QUERY =
      Samples.spec(CODE, null, null, null, "sales-2024").withReply(ReplySpec.ofRows(100));

  @ParameterizedTest
  @CsvSource({"., stores sales", "values, stores sales", "queries, sales-2024"})
  void aScriptIsSentAsItsRunnerTakesIt(String generation, String datasets) throws IOException {
    AnalyticsRunSpec spec = Samples.spec(CODE, null, null, null, datasets.split(" ", -1));

    assertThat(job(spec, hello(generation, "hello.json"))).isEqualTo(recorded(generation).get(0));
  }

  @ParameterizedTest
  @CsvSource({".", "values"})
  void aRunnerWithoutQueriesIsSaidToBeTooOldForThem(String generation) throws IOException {
    Hello runner = hello(generation, "hello.json");

    for (AnalyticsRunSpec spec :
        List.of(QUERY, QUERY.withLanguage(Language.POLARS), QUERY.withLanguage(Language.SQL))) {
      assertThat(RunJob.missing(spec, null, runner, "python"))
          .get()
          .asString()
          .contains("too old for");
    }
  }

  @Test
  void aQueryIsSentAsItsRunnerTakesIt() throws IOException {
    List<JsonNode> recorded = recorded("queries");
    Hello python = hello("queries", "hello.json");
    Hello jvm = hello("queries", "hello-jvm.json");

    assertThat(
            job(QUERY.withCode("df['a'].sum() + parameters['n']").withInput("{\"n\":1}"), python))
        .isEqualTo(recorded.get(1));
    assertThat(
            job(
                QUERY.withLanguage(Language.POLARS).withCode("sales_2024.select(pl.sum('a'))"),
                python))
        .isEqualTo(recorded.get(2));
    AnalyticsRunSpec sql = QUERY.withLanguage(Language.SQL);
    assertThat(
            job(
                sql.withCode("SELECT sum(a) AS s FROM sales_2024 WHERE a >= $n")
                    .withInput("{\"n\":1}"),
                jvm))
        .isEqualTo(recorded.get(3));
    assertThat(job(sql.withCode(null).withBuiltin(new BuiltinSpec(Builtin.PROFILE, null)), jvm))
        .isEqualTo(recorded.get(4));
    assertThat(
            job(
                sql.withCode(null)
                    .withBuiltin(
                        new BuiltinSpec(Builtin.SAMPLE, "{\"strategy\":\"head\",\"size\":1}")),
                jvm))
        .isEqualTo(recorded.get(5));
  }

  @Test
  void aRunThatCallsToolsIsSentAsItsRunnerTakesIt() throws IOException {
    List<JsonNode> recorded = recorded("tools");
    AnalyticsRunSpec python =
        Samples.spec(recorded.get(0).path("code").asText(), null, null, null).withTools(TOOLS);
    AnalyticsRunSpec script =
        python
            .withLanguage(Language.JAVASCRIPT)
            .withCode(recorded.get(1).path("code").asText())
            .withInput("{\"ids\":[17,18]}");

    assertThat(job(python, hello("tools", "hello.json"), policy(python)))
        .isEqualTo(recorded.get(0));
    assertThat(job(script, hello("tools", "hello-javascript.json"), policy(script)))
        .isEqualTo(recorded.get(1));
  }

  @ParameterizedTest
  @CsvSource({
    "., hello.json",
    "values, hello.json",
    "queries, hello.json",
    "queries, hello-jvm.json"
  })
  void aRunnerBeforeToolsIsSaidToBeTooOldForThem(String generation, String file)
      throws IOException {
    Hello runner = hello(generation, file);
    AnalyticsRunSpec python = Samples.spec(CODE, null, null, null).withTools(TOOLS);

    assertThat(RunJob.missing(python, null, runner, "python"))
        .get()
        .asString()
        .contains("too old for runs with tools");
    assertThat(RunJob.missing(python.withLanguage(Language.JAVASCRIPT), null, runner, "python"))
        .get()
        .asString()
        .contains("too old for runs of JavaScript");
    // One that only could call some is run as before.
    AnalyticsRunSpec silent = Samples.spec(CODE, null, null, null);
    assertThat(RunJob.missing(silent, null, runner, "python")).isEmpty();
    assertThat(job(silent, runner, policy(silent)).has("tools")).isFalse();
  }

  /** What applies to a run of a class that offers all servers. */
  private static RunToolPolicy policy(AnalyticsRunSpec spec) {
    return RunToolPolicy.of(
        spec,
        Samples.classSpec(Purpose.Run)
            .with()
            .tools(new ClassTools(List.of("*"), null, null, null))
            .build());
  }

  private static JsonNode job(AnalyticsRunSpec spec, Hello runner) throws IOException {
    return job(spec, runner, null);
  }

  private static JsonNode job(AnalyticsRunSpec spec, Hello runner, @Nullable RunToolPolicy tools)
      throws IOException {
    List<PinnedSnapshot> snapshots =
        List.of(new PinnedSnapshot("sales-2024", "a-1-0", "snapshots/a/1-0", "sales_2024", null));
    return JSON.readTree(
        JSON.writeValueAsString(
            RunJob.of(
                Samples.run(spec, null),
                new RunJob.Read(snapshots, true, List.of()),
                runner,
                new RunJob.ClassPolicy(Samples.ARTIFACTS, null, tools),
                LIMITS)));
  }

  private static Hello hello(String generation, String file) throws IOException {
    return JSON.readValue(RECORDED.resolve(generation).resolve(file).toFile(), Hello.class);
  }

  private static List<JsonNode> recorded(String generation) throws IOException {
    List<JsonNode> jobs = new ArrayList<>();
    for (String line : Files.readAllLines(RECORDED.resolve(generation).resolve("jobs.ndjson"))) {
      jobs.add(JSON.readTree(line));
    }
    return jobs;
  }
}
