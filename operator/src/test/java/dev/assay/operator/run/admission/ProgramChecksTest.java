package dev.assay.operator.run.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.PinnedInput;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.operator.Samples;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProgramChecksTest {
  private static final AnalyticsRunSpec SPEC = Samples.spec("1", null, null, null);

  @Test
  void textsMayBeAsLongTogetherAsTheLimitsAllow() {
    assertThat(ProgramChecks.problem(withTexts("x".repeat(131_072), "ä".repeat(65_536)))).isEmpty();
    assertThat(ProgramChecks.problem(withTexts("x".repeat(131_072), "ä".repeat(65_537))))
        .contains("spec.files have 262146 bytes together, and at most 262144 are allowed");
  }

  @Test
  void codeInputAndFilesCountTogether() {
    AnalyticsRunSpec spec =
        withTexts("x".repeat(262_144))
            .with()
            .code("x".repeat(200_000))
            .input("x".repeat(62_144))
            .build();
    assertThat(ProgramChecks.problem(spec)).isEmpty();
    assertThat(ProgramChecks.problem(spec.withInput("x".repeat(62_145))))
        .contains(
            "spec.code, spec.input and spec.files have 524289 bytes together,"
                + " and at most 524288 are allowed");
  }

  @Test
  void twoFilesHaveTwoPaths() {
    assertThat(ProgramChecks.problem(reading(input("a", "b"), "b")))
        .contains("spec.files and spec.inputs name \"b\" twice");
    assertThat(ProgramChecks.problem(reading(input("b", null), "b"))).isPresent();
    assertThat(ProgramChecks.problem(reading(input("b", "c"), "b"))).isEmpty();
    assertThat(ProgramChecks.problem(reading(input(null, null), "b"))).isEmpty();
  }

  @Test
  void aFileIsNoFolder() {
    assertThat(ProgramChecks.problem(reading(input("a", "lib"), "lib/util.py")))
        .contains("spec.files and spec.inputs name \"lib\" as a file and as a folder");
    assertThat(ProgramChecks.problem(reading(input("a", "lib/other.py"), "lib/util.py"))).isEmpty();
    assertThat(ProgramChecks.problem(reading(input("a", "libs"), "lib/util.py"))).isEmpty();
  }

  @Test
  void noFileIsTheCode() {
    assertThat(ProgramChecks.problem(reading(input("a", "b"), "main.py")))
        .contains("spec.files and spec.inputs cannot name \"main.py\", which is the code");
    assertThat(ProgramChecks.problem(reading(input("a", "b"), "lib/main.py"))).isEmpty();
  }

  @Test
  void noFileIsInTheFolderOfCodeMode() {
    assertThat(ProgramChecks.problem(reading(input("a", "b"), ".work/generated/a.py")))
        .contains(
            "spec.files and spec.inputs cannot name \".work/generated/a.py\": code mode keeps its"
                + " own files in .work; use another path");
    assertThat(ProgramChecks.problem(reading(input(".work/logs/a.err", null), "b"))).isPresent();
    assertThat(ProgramChecks.problem(reading(input(".work/logs/a.err", "a"), "b"))).isEmpty();
  }

  @Test
  void framesAreKeptOnlyWhereFilesAreCollected() {
    AnalyticsRunSpec spec = SPEC.withKeep(List.of("a"));
    assertThat(ProgramChecks.problem(spec, List.of(), 1, "code")).isEmpty();
    assertThat(ProgramChecks.problem(spec, List.of(), 0, "code"))
        .contains(
            "spec.keep requires a class that collects files: artifacts.limitBytes of class 'code' is 0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "{", "{'a': 1}", "1 2", "NaN", "[1,]", "\"\ud800\""})
  void inputIsOneJsonValue(String input) {
    assertThat(ProgramChecks.inputProblem(SPEC.withInput(input)))
        .contains("spec.input must be a single JSON value with a nesting depth of at most 64");
  }

  @Test
  void inputIsNestedNoDeeperThanRunnersTakeIt() {
    assertThat(ProgramChecks.inputProblem(SPEC)).isEmpty();
    assertThat(ProgramChecks.inputProblem(SPEC.withInput(nested(64)))).isEmpty();
    assertThat(ProgramChecks.inputProblem(SPEC.withInput(nested(65)))).isPresent();
  }

  private static String nested(int depth) {
    return "[".repeat(depth) + "]".repeat(depth);
  }

  @Test
  void aFrameIsKeptOnce() {
    assertThat(ProgramChecks.problem(SPEC.withKeep(List.of("a", "b", "a"))))
        .contains("spec.keep names a frame twice");
  }

  @Test
  void inputsAreBoundedInNumberAndBytes() {
    assertThat(ProgramChecks.problem(SPEC, Collections.nCopies(64, pinned(1, null)), 64, "code"))
        .isEmpty();
    assertThat(ProgramChecks.problem(SPEC, Collections.nCopies(65, pinned(1, null)), 65, "code"))
        .contains("spec.inputs contains 65 artifacts; the maximum is 64");
    assertThat(ProgramChecks.problem(SPEC, Collections.nCopies(2, pinned(5, null)), 9, "code"))
        .contains(
            "spec.inputs have 10 bytes together, and class 'code' allows at most 9"
                + " (artifacts.limitBytes)");
  }

  @Test
  void framesOfTwoRunsHaveTwoNames() {
    assertThat(
            ProgramChecks.problem(
                SPEC,
                List.of(pinned(1, "sales"), pinned(1, "costs"), pinned(1, "sales")),
                9,
                "code"))
        .contains("spec.inputs contains two frames named \"sales\"");
  }

  private static AnalyticsRunSpec withTexts(String... texts) {
    return SPEC.withFiles(
        Stream.of(texts).map(text -> new RunFile("f" + text.length(), text)).toList());
  }

  private static AnalyticsRunSpec reading(RunInput input, String file) {
    return SPEC.withInputs(List.of(input)).withFiles(List.of(new RunFile(file, "")));
  }

  private static RunInput input(@Nullable String artifact, @Nullable String path) {
    return new RunInput("earlier", artifact, path);
  }

  private static PinnedInput pinned(long bytes, @Nullable String frame) {
    return new PinnedInput("e", "u", 1, "a", bytes, "5f", frame == null ? "a" : null, frame);
  }
}
