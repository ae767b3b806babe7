package dev.assay.operator.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.Builtin;
import dev.assay.api.v1alpha1.BuiltinSpec;
import dev.assay.api.v1alpha1.RunFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class NewRunsTest {
  private final CacheSerialization cached = CacheSerialization.create();
  private final NewRuns newRuns = cached.newRuns();

  @Test
  void aNewRunHasItsTextsOnce() {
    AnalyticsRun run =
        arrives("a", "language: python, code: print(1), files: [{path: a.py, text: x = 1}]");
    AnalyticsRunSpec spec = newRuns.take(run).orElseThrow();
    assertThat(spec.code()).isEqualTo("print(1)");
    assertThat(spec.fileList()).containsExactly(new RunFile("a.py", "x = 1"));
    assertThat(run.getSpec().code()).isEmpty();
    assertThat(newRuns.take(run)).isEmpty();
  }

  @Test
  void argumentsAreKeptToo() {
    AnalyticsRun run = arrives("a", "language: sql, builtin: {name: sample, arguments: '{}'}");
    assertThat(newRuns.take(run).orElseThrow().builtin())
        .isEqualTo(new BuiltinSpec(Builtin.SAMPLE, "{}"));
    assertThat(run.getSpec().builtin()).isEqualTo(new BuiltinSpec(Builtin.SAMPLE, ""));
  }

  @Test
  void aCopyOfWhatIsCachedDoesNotReplaceTheTexts() {
    AnalyticsRun run = arrives("a", "language: javascript, code: input, input: '{}'");
    AnalyticsRun copy = cached.clone(run);
    assertThat(copy.getSpec().code()).isEmpty();
    AnalyticsRunSpec spec = newRuns.take(copy).orElseThrow();
    assertThat(spec.code()).isEqualTo("input");
    assertThat(spec.input()).isEqualTo("{}");
    assertThat(newRuns.take(cached.clone(run))).isEmpty();
  }

  @Test
  void aRunThatHasAStatusIsNotNew() {
    AnalyticsRun run =
        cached.unmarshal(
            """
            apiVersion: assay.dev/v1alpha1
            kind: AnalyticsRun
            metadata: {name: a, uid: a}
            spec: {language: python, code: print(1)}
            status: {phase: Running}
            """,
            AnalyticsRun.class);
    assertThat(newRuns.take(run)).isEmpty();
  }

  @Test
  void theOldestGoWhenThereAreTooMany() {
    String code = "language: python, code: '" + "x".repeat(200 * 1024) + "'";
    AnalyticsRun first = arrives("first", code);
    for (int i = 0; i < 40; i++) {
      arrives("run-" + i, code);
    }
    AnalyticsRun last = arrives("last", code);
    assertThat(newRuns.take(first)).isEmpty();
    assertThat(newRuns.take(last)).isPresent();
  }

  @Test
  void namesAndPathsCountAsLongAsTheyMayBe() {
    String inputs =
        "language: python, code: print(1), inputs: ["
            + "{run: a, artifact: b.csv},".repeat(16)
            + "]";
    AnalyticsRun first = arrives("first", inputs);
    for (int i = 0; i < 600; i++) {
      arrives("run-" + i, inputs);
    }
    assertThat(newRuns.take(first)).isEmpty();
  }

  @Test
  void aRunThatIsSeenAgainIsCountedOnce() {
    String code = "language: python, code: '" + "x".repeat(200 * 1024) + "'";
    AnalyticsRun other = arrives("other", "language: python, code: print(1)");
    for (int i = 0; i < 100; i++) {
      arrives("a", code);
    }
    assertThat(newRuns.take(other)).isPresent();
  }

  private AnalyticsRun arrives(String uid, String spec) {
    return cached.unmarshal(
        """
        apiVersion: assay.dev/v1alpha1
        kind: AnalyticsRun
        metadata: {name: a, uid: %s}
        spec: {%s}
        """
            .formatted(uid, spec),
        AnalyticsRun.class);
  }
}
