package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClassSpec.Purpose;
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

  private static RunClassSpec spec(List<String> namespaces, @Nullable List<Language> languages) {
    return new RunClassSpec(
        Purpose.Run,
        namespaces,
        "runner:1",
        null,
        null,
        languages,
        new RunClassSpec.ClassResources("1", "512Mi", null),
        new RunClassSpec.ClassScratch("64Mi", RunClassSpec.ClassScratch.Medium.Memory),
        new RunClassSpec.ClassTimeouts(30, 120, 300),
        new RunClassSpec.ClassOutput(1024),
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null);
  }
}
