package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClassSpec.EgressCheck;
import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunClassSpecTest {
  @Test
  void aClassIsOpenToTheNamespacesItNames() {
    RunClassSpec spec = spec(List.of("team-a", "team-b"), null);
    assertThat(spec.allows("team-a")).isTrue();
    assertThat(spec.allows("team-b")).isTrue();
    assertThat(spec.allows("team")).isFalse();
    assertThat(spec.allows("team-a1")).isFalse();
    assertThat(spec.allows("*")).isFalse();
  }

  @Test
  void anAsteriskIsEveryNamespaceAndNoNamesAreNone() {
    assertThat(spec(List.of("*"), null).allows("whatever")).isTrue();
    assertThat(spec(List.of(), null).allows("whatever")).isFalse();
  }

  @Test
  void aClassOffersTheLanguagesItNames() {
    assertThat(spec(List.of("*"), List.of(Language.PYTHON)).offers(Language.PYTHON)).isTrue();
    assertThat(spec(List.of("*"), List.of()).offers(Language.PYTHON)).isFalse();
    assertThat(spec(List.of("*"), null).offers(Language.PYTHON)).isFalse();
  }

  @Test
  void aClassIsTheDefaultForTheLanguagesItSays() {
    RunClassSpec python = spec(List.of("*"), List.of(Language.PYTHON));
    assertThat(python.isDefaultFor(Language.PYTHON)).isFalse();
    assertThat(python.withDefaultFor(List.of(Language.PYTHON)).isDefaultFor(Language.PYTHON))
        .isTrue();
  }

  @Test
  void aClassThatNamesNoLimitsOfArtifactsHasThem() {
    RunClassSpec none = spec(List.of("*"), null);
    assertThat(none.artifactLimits()).isEqualTo(new RunClassSpec.ArtifactLimits(64L << 20, 100));
    assertThat(
            none.withArtifacts(ClassArtifactsBuilder.builder().limitBytes(0L).build())
                .artifactLimits())
        .isEqualTo(new RunClassSpec.ArtifactLimits(0, 100));
  }

  @Test
  void aClassThatRunsCodeRequiresTheEgressCheckUnlessItSaysOtherwise() {
    RunClassSpec none = spec(List.of("*"), null);
    assertThat(none.requiresEgressCheck()).isTrue();
    assertThat(none.withEgressCheck(EgressCheck.Required).requiresEgressCheck()).isTrue();
    assertThat(none.withEgressCheck(EgressCheck.Disabled).requiresEgressCheck()).isFalse();
    assertThat(none.withPurpose(Purpose.Snapshot).requiresEgressCheck()).isFalse();
  }

  @Test
  void theGuardIsForModeCodeUnlessTheClassSaysSo() {
    RunClassSpec none = spec(List.of("*"), null);
    assertThat(none.guards(RunMode.CODE)).isTrue();
    assertThat(none.guards(RunMode.STANDARD)).isFalse();
    RunClassSpec always = none.withGuard(new RunClassSpec.ClassGuard(true, List.of("networkx")));
    assertThat(always.guards(RunMode.STANDARD)).isTrue();
    assertThat(always.allowedModules()).containsExactly("networkx");
    RunClassSpec never = none.withGuard(new RunClassSpec.ClassGuard(false, null));
    assertThat(never.guards(RunMode.CODE)).isFalse();
    assertThat(never.allowedModules()).isEmpty();
  }

  @Test
  void aClassHasAPoolOnlyIfItMayHaveAnIdlePod() {
    RunClassSpec none = spec(List.of("*"), null);
    assertThat(none.warmPoolLimits().exist()).isFalse();
    assertThat(pool(none, null, null, 60).exist()).isFalse();
    assertThat(pool(none, 0, null, null).exist()).isFalse();
    assertThat(pool(none, null, 1, null).exist()).isTrue();
  }

  @Test
  void aPoolWithoutAMaximumHasAFixedSize() {
    RunClassSpec none = spec(List.of("*"), null);
    assertThat(pool(none, 2, null, null))
        .isEqualTo(new RunClassSpec.WarmPoolLimits(2, 2, Duration.ofMinutes(5)));
    assertThat(pool(none, null, 3, 60))
        .isEqualTo(new RunClassSpec.WarmPoolLimits(0, 3, Duration.ofMinutes(1)));
  }

  private static RunClassSpec.WarmPoolLimits pool(
      RunClassSpec spec, @Nullable Integer min, @Nullable Integer max, @Nullable Integer idle) {
    return spec.withWarmPool(new RunClassSpec.ClassWarmPool(min, max, idle, null)).warmPoolLimits();
  }

  static RunClassSpec spec(List<String> namespaces, @Nullable List<Language> languages) {
    return RunClassSpecBuilder.builder()
        .purpose(Purpose.Run)
        .allowedNamespaces(namespaces)
        .image("runner:1")
        .languages(languages)
        .resources(ClassResourcesBuilder.builder().cpu("1").memory("512Mi").build())
        .scratch(
            ClassScratchBuilder.builder()
                .sizeLimit("64Mi")
                .medium(RunClassSpec.ClassScratch.Medium.Memory)
                .build())
        .timeouts(
            ClassTimeoutsBuilder.builder()
                .defaultSeconds(30)
                .maxSeconds(120)
                .pendingSeconds(300)
                .build())
        .output(ClassOutputBuilder.builder().limitBytes(1024).build())
        .build();
  }
}
