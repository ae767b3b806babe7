package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunInputs.Resolution;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunInputsTest {
  private static final AnalyticsRunSpec PYTHON =
      AnalyticsRunSpecBuilder.builder().language(Language.PYTHON).code("1").build();
  private final AnalyticsRun earlier =
      run(
          "earlier",
          RunPhase.Succeeded,
          "reports/a.html",
          "frames/sales.arrow",
          "frames/sales.parquet",
          "frames/only.parquet",
          "frames/deep/er.arrow",
          "frames/not a name.arrow");

  @Test
  void anArtifactIsAFileAtItsOwnPathUnlessTheInputSaysWhere() {
    assertThat(
            resolved(
                PYTHON,
                new RunInput("earlier", "reports/a.html", null),
                new RunInput("earlier", "reports/a.html", "old.html")))
        .containsExactly(
            pinned(1, "reports/a.html", "reports/a.html", null),
            pinned(1, "reports/a.html", "old.html", null));
  }

  @Test
  void pythonReadsKeptFramesAsArrowWhereTheyAre() {
    assertThat(resolved(PYTHON, new RunInput("earlier", null, null)))
        .containsExactly(
            pinned(4, "frames/only.parquet", null, "only"),
            pinned(2, "frames/sales.arrow", null, "sales"));
  }

  @Test
  void sqlAndPolarsReadThemAsTables() {
    for (Language language : List.of(Language.SQL, Language.POLARS)) {
      assertThat(resolved(PYTHON.withLanguage(language), new RunInput("earlier", null, null)))
          .containsExactly(
              pinned(4, "frames/only.parquet", null, "only"),
              pinned(3, "frames/sales.parquet", null, "sales"));
    }
  }

  @Test
  void whatIsMissingIsNamed() {
    assertThat(missing(new RunInput("gone", null, null))).contains("\"gone\" was not found");
    assertThat(missing(new RunInput("earlier", "b", null)))
        .isEqualTo(
            "Run \"earlier\" has no artifact \"b\"; status.artifacts lists those that it has");
  }

  @Test
  void aRunWithoutFramesAndOneThatHasNotEndedAreTwoThings() {
    AnalyticsRun none = run("none", RunPhase.Failed);
    AnalyticsRun running = run("running", RunPhase.Running);
    AnalyticsRun created = run("created", null);
    created.setStatus(null);
    Map<String, AnalyticsRun> runs = Map.of("none", none, "running", running, "created", created);
    assertThat(missing(new RunInput("none", null, null), runs)).contains("kept no frames");
    assertThat(missing(new RunInput("running", null, null), runs)).contains("has not ended");
    assertThat(missing(new RunInput("created", "a", null), runs)).contains("has not ended");
  }

  private List<PinnedInput> resolved(AnalyticsRunSpec spec, RunInput... inputs) {
    Resolution resolution =
        RunInputs.resolve(
            spec.with().inputs(List.of(inputs)).build(),
            name -> Optional.ofNullable(Map.of("earlier", earlier).get(name)));
    assertThat(resolution).isInstanceOf(Resolution.Resolved.class);
    return ((Resolution.Resolved) resolution).inputs();
  }

  private String missing(RunInput input) {
    return missing(input, Map.of("earlier", earlier));
  }

  private static String missing(RunInput input, Map<String, AnalyticsRun> runs) {
    Resolution resolution =
        RunInputs.resolve(
            PYTHON.withInputs(List.of(input)), name -> Optional.ofNullable(runs.get(name)));
    assertThat(resolution).isInstanceOf(Resolution.Missing.class);
    return ((Resolution.Missing) resolution).message();
  }

  private static PinnedInput pinned(
      int number, String artifact, @Nullable String path, @Nullable String frame) {
    return new PinnedInput(
        "earlier", "uid-earlier", number, artifact, 5, "a".repeat(64), path, frame);
  }

  private static AnalyticsRun run(String name, @Nullable RunPhase phase, String... artifacts) {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(new ObjectMetaBuilder().withName(name).withUid("uid-" + name).build());
    run.setStatus(
        AnalyticsRunStatusBuilder.builder()
            .phase(phase)
            .artifacts(
                Stream.of(artifacts)
                    .map(path -> new RunArtifact(path, 5, "a".repeat(64), "text/plain"))
                    .toList())
            .build());
    return run;
  }
}
