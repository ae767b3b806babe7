package dev.assay.operator.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassSpec;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import dev.assay.operator.Samples;
import dev.assay.operator.pod.Labels;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClassChoiceTest {
  private static final RunClassSpec PYTHON =
      Samples.classSpec(Purpose.Run).withDefaultFor(List.of(Language.PYTHON));
  private static final AnalyticsRun NAMING = Samples.run();
  private static final AnalyticsRun NAMING_NONE =
      Samples.run(Samples.spec("1", null, null, null).withClassName(null), null);

  @Test
  void aRunHasTheClassThatItNames() {
    assertThat(ClassChoice.settled(NAMING, Optional.of(podOf("other")))).contains("python");
  }

  @Test
  void aRunThatNamesNoneKeepsTheClassOfItsPod() {
    AnalyticsRun run = given("earlier");
    assertThat(ClassChoice.settled(run, Optional.of(podOf("of-the-pod")))).contains("of-the-pod");
    assertThat(ClassChoice.settled(run, Optional.empty())).contains("earlier");
    assertThat(ClassChoice.settled(NAMING_NONE, Optional.empty())).isEmpty();
  }

  @Test
  void aRunThatNamesAClassThatDoesNotExistHasNone() {
    RunClass usual = runClass("usual", "2026-01-01T00:00:00Z", PYTHON);
    assertThat(ClassChoice.of(NAMING, Optional.empty(), name -> null, () -> Optional.of(usual)))
        .isNull();
    assertThat(
            ClassChoice.of(NAMING_NONE, Optional.empty(), name -> null, () -> Optional.of(usual)))
        .isSameAs(usual);
  }

  @Test
  void aClassIsTheDefaultOnlyWhereItSaysSo() {
    RunClass other = runClass("other", "2026-01-02T00:00:00Z", PYTHON.withDefaultFor(null));
    RunClass usual = runClass("usual", "2026-01-01T00:00:00Z", PYTHON);
    assertThat(ClassChoice.defaultFor(NAMING_NONE, List.of(other, usual))).contains(usual);
    assertThat(ClassChoice.defaultFor(NAMING_NONE, List.of(other))).isEmpty();
  }

  @Test
  void ofSeveralDefaultsTheNewestIsChosenAndThenTheFirstByName() {
    RunClass old = runClass("old", "2026-01-01T00:00:00Z", PYTHON);
    RunClass b = runClass("b", "2026-01-02T00:00:00Z", PYTHON);
    RunClass a = runClass("a", "2026-01-02T00:00:00Z", PYTHON);
    assertThat(ClassChoice.defaultFor(NAMING_NONE, List.of(old, b, a))).contains(a);
  }

  @Test
  void theDefaultOfAnotherNamespaceIsNone() {
    RunClass elsewhere = runClass("x", null, PYTHON.withAllowedNamespaces(List.of("team-b")));
    assertThat(ClassChoice.defaultFor(NAMING_NONE, List.of(elsewhere))).isEmpty();
    assertThat(ClassChoice.offering(NAMING_NONE, List.of(elsewhere))).isEmpty();
  }

  @Test
  void theClassesThatOfferALanguageAreNamedInOrder() {
    RunClass snapshot = runClass("snapshot", null, Samples.classSpec(Purpose.Snapshot));
    RunClass without = runClass("sql", null, PYTHON.withLanguages(List.of()));
    assertThat(
            ClassChoice.offering(
                NAMING_NONE,
                List.of(
                    snapshot, without, runClass("b", null, PYTHON), runClass("a", null, PYTHON))))
        .containsExactly("a", "b");
  }

  private static AnalyticsRun given(String className) {
    return Samples.run(NAMING_NONE.getSpec(), AnalyticsRunStatus.EMPTY.withClassName(className));
  }

  private static RunClass runClass(String name, @Nullable String created, RunClassSpec spec) {
    RunClass runClass = Samples.runClass(spec);
    runClass.setMetadata(
        new ObjectMetaBuilder().withName(name).withCreationTimestamp(created).build());
    return runClass;
  }

  private static Pod podOf(String className) {
    return new PodBuilder(Samples.runningPod(1))
        .editMetadata()
        .addToLabels(Labels.RUN_CLASS, className)
        .endMetadata()
        .build();
  }
}
