package dev.assay.frontend.tool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.FakeOutputs;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.analytics.CachedResults;
import dev.assay.frontend.artifact.ArtifactReader;
import dev.assay.frontend.artifact.ReplyArtifacts;
import dev.assay.frontend.call.CallContext;
import dev.assay.frontend.call.Cancellation;
import dev.assay.frontend.call.Progress;
import dev.assay.frontend.call.Reply;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.OutputReader;
import dev.assay.frontend.run.ReplyBound;
import dev.assay.frontend.run.RunNames;
import dev.assay.frontend.run.RunWait;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DescribeRuntimeTest {
  private final FakeRuns runs = new FakeRuns();
  private Instant now = Instant.parse("2026-01-02T03:04:05Z");
  private final FakeRunClasses classes =
      FakeRunClasses.usual()
          .with(FakeRunClasses.runClass("other", Purpose.Run, "runner:2", 10, 60))
          .with(FakeRunClasses.runClass("same", Purpose.Run, "runner:1", 10, 60));
  private GuardedTool tool = tool(50);

  private GuardedTool tool(int waitSeconds) {
    return new GuardedTool(
        new DescribeRuntime(
            new QueryParameters.Settings("python", "sql", 30, 600, waitSeconds),
            "code",
            classes,
            new RunCall(
                runs,
                classes,
                new RunWait(runs, Duration.ofMillis(50), Duration.ofMillis(100)),
                new OutputReader(new FakeOutputs(), new ReplyBound(65_536, 20_000)),
                new ReplyArtifacts(new ArtifactReader(new FakeOutputs())),
                new RunNames(Clock.systemUTC())),
            new CachedResults(
                runs, classes, new FakeDatasets(), Duration.ofHours(1), Clock.systemUTC()),
            () -> now));
  }

  @Test
  void aClassWithoutAFreePodIsToBeAskedAgainAndNothingIsRemembered() throws InterruptedException {
    tool = tool(1);

    assertThat(call(Map.of()).text())
        .isEqualTo(
            "EXECUTION ERROR: Unavailable: timed out after 1 s waiting for class 'python', which may"
                + " have no free Pod: retry in a minute");
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("Python 3.13.1")));
    assertThat(call(Map.of()).text()).startsWith("Python 3.13.1\n");
  }

  @Test
  void packagesAreAskedOfOneRunForEachImage() throws InterruptedException {
    runs.operator(
        (fake, run) -> fake.status(run, Fixtures.succeeded("Python 3.13.1\nPackages: a 1\n")));

    assertThat(call(Map.of()).text())
        .startsWith("Python 3.13.1\nPackages: a 1\nLimits of class 'python': 512Mi of memory");
    assertThat(call(Map.of("run_class", "same")).text()).contains("Limits of class 'same'");
    assertThat(runs.created).hasSize(1);
    assertThat(call(Map.of("run_class", "other")).isError()).isFalse();
    assertThat(runs.created).hasSize(2);
  }

  @Test
  void howPythonCallsToolsIsSaidWhereTheClassNamesServers() throws InterruptedException {
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("Python 3.13.1")));
    RunClass tools = FakeRunClasses.runClass("tools", Purpose.Run, "runner:3", 10, 60);
    tools.setSpec(
        tools
            .getSpec()
            .with()
            .tools(new ClassTools(List.of("store", "crm"), null, null, null))
            .build());
    classes.with(tools);

    assertThat(call(Map.of()).text()).doesNotContain("call_tool");
    assertThat(call(Map.of("run_class", "tools")).text())
        .contains(
            "Python calls tools of other servers (store, crm): call_tool(server, tool, args)");
  }

  @Test
  void anImageThatIsNamedByATagIsAskedAgainAfterAWhileAndOneByItsDigestIsNot()
      throws InterruptedException {
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("Python 3")));
    String digest = "runner@sha256:" + "0".repeat(64);
    classes.with(FakeRunClasses.runClass("pinned", Purpose.Run, digest, 10, 60));
    call(Map.of());
    call(Map.of("run_class", "pinned"));

    now = now.plus(Duration.ofMinutes(11));
    call(Map.of("run_class", "pinned"));
    assertThat(runs.created).hasSize(2);
    call(Map.of());
    assertThat(runs.created).hasSize(3);
  }

  @Test
  void whatWasAskedForLongestAgoIsForgottenFirst() throws InterruptedException {
    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("Python 3")));
    for (int i = 0; i <= 64; i++) {
      classes.with(FakeRunClasses.runClass("class-" + i, Purpose.Run, "runner:t" + i, 10, 60));
      call(Map.of("run_class", "class-" + i));
    }

    call(Map.of("run_class", "class-64"));
    assertThat(runs.created).hasSize(65);
    call(Map.of("run_class", "class-0"));
    assertThat(runs.created).hasSize(66);
  }

  @Test
  void aClassOfSqlIsAskedInSql() throws InterruptedException {
    classes.with(FakeRunClasses.runClass("sql", Purpose.Run, "jvm:1", 10, 60));
    RunClass sql = classes.find("sql").orElseThrow();
    sql.setSpec(sql.getSpec().withLanguages(List.of(Language.SQL)));
    runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.returned(
                    """
                    {"table":{"columns":[{"name":"version","type":"VARCHAR"},
                      {"name":"extensions","type":"VARCHAR"}],
                      "rows":[["v2.0.0","icu, json"]],"totalRows":1}}\
                    """)));

    Reply reply = call(Map.of("language", "sql"));

    assertThat(reply.text())
        .startsWith("DuckDB v2.0.0\nExtensions: icu, json\nLimits of class 'sql'")
        .endsWith("nothing is kept from one call to the next.");
    assertThat(runs.created.getFirst().getSpec().language()).isEqualTo(Language.SQL);
  }

  @Test
  void aClassOfScriptsHasNoLibraries() throws InterruptedException {
    classes.with(FakeRunClasses.runClass("javascript", Purpose.Run, "jvm:1", 10, 60));
    RunClass scripts = classes.find("javascript").orElseThrow();
    scripts.setSpec(
        scripts.getSpec().withLanguages(List.of(Language.JAVASCRIPT, Language.TYPESCRIPT)));

    assertThat(call(Map.of("run_class", "javascript")).text())
        .isEqualTo(
            "EXECUTION ERROR: ValueError: class 'javascript' has no libraries: it runs scripts in"
                + " JavaScript and TypeScript");
    assertThat(runs.created).isEmpty();
  }

  @Test
  void anImageThatClassesShareIsAskedInEachLanguage() throws InterruptedException {
    classes.with(FakeRunClasses.runClass("sql", Purpose.Run, "runner:1", 10, 60));
    RunClass sql = classes.find("sql").orElseThrow();
    sql.setSpec(sql.getSpec().withLanguages(List.of(Language.SQL)));
    runs.operator(
        (fake, run) ->
            fake.status(
                run,
                run.getSpec().language() == Language.SQL
                    ? Fixtures.returned(
                        """
                        {"table":{"columns":[{"name":"version","type":"VARCHAR"},
                          {"name":"extensions","type":"VARCHAR"}],
                          "rows":[["v2.0.0","icu"]],"totalRows":1}}\
                        """)
                    : Fixtures.succeeded("Python 3.13.1\nPackages: a 1\n")));

    assertThat(call(Map.of()).text()).startsWith("Python 3.13.1");
    assertThat(call(Map.of("language", "sql")).text()).startsWith("DuckDB v2.0.0");
    assertThat(call(Map.of("run_class", "sql")).text()).startsWith("DuckDB v2.0.0");
    assertThat(call(Map.of("language", "sql", "run_class", "same")).text())
        .isEqualTo(
            "EXECUTION ERROR: ValueError: class 'same' does not run 'sql': name another"
                + " 'run_class' or 'language'");
    assertThat(runs.created).hasSize(2);
  }

  @Test
  void aRunThatFailsIsToldAndNotRemembered() throws InterruptedException {
    runs.operator((fake, run) -> fake.vanish(run));
    assertThat(call(Map.of()).isError()).isTrue();

    runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("Python 3")));
    assertThat(call(Map.of()).text()).startsWith("Python 3\n");
  }

  @Test
  void aClassThatIsNotForRunsIsNotTold() throws InterruptedException {
    for (String name : new String[] {"snapshot", "nope"}) {
      assertThat(call(Map.of("run_class", name)).text())
          .isEqualTo(
              "EXECUTION ERROR: ValueError: 'run_class' names no class for runs in your"
                  + " namespace");
    }
    assertThat(runs.created).isEmpty();
  }

  @Test
  void whatCodeModeHasIsKnownWithoutARun() throws InterruptedException {
    classes.with(FakeRunClasses.runClass("code", Purpose.Run, "runner:1", 120, 60));

    Reply reply = call(Map.of("mode", "code"));

    assertThat(reply.text()).isEqualTo(CodeModeText.of(List.of()));
    assertThat(((RuntimeDocument) Objects.requireNonNull(reply.structured())).codeMode())
        .isEqualTo(reply.text());
    assertThat(runs.created).isEmpty();
    assertThat(call(Map.of("mode", "code", "language", "sql")).text())
        .contains("'mode' code is for language python");
  }

  private Reply call(Map<String, Object> arguments) throws InterruptedException {
    return tool.call(
        new CallContext(new Identity("alice", "runs"), "r1", Progress.NONE, new Cancellation()),
        arguments);
  }
}
