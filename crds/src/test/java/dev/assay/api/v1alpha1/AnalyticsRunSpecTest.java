package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AnalyticsRunSpecTest {
  @Test
  void aRunIsToBeStoppedOnlyWhereItSaysSo() {
    assertThat(spec(null, true).cancelRequested()).isTrue();
    assertThat(spec(null, false).cancelRequested()).isFalse();
    assertThat(spec(null, null).cancelRequested()).isFalse();
  }

  @Test
  void aRunThatNamesNoDatasetsHasNone() {
    assertThat(spec(null, null).datasetNames()).isEmpty();
    assertThat(spec(List.of("b", "a"), null).datasetNames()).containsExactly("b", "a");
  }

  @ParameterizedTest
  @EnumSource(names = {"Pending", "Starting", "Running"})
  void aRunThatHasNotEndedIsNotFinal(RunPhase phase) {
    assertThat(phase.isFinal()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"Succeeded", "Failed", "TimedOut", "Cancelled"})
  void aRunThatHasEndedIsFinal(RunPhase phase) {
    assertThat(phase.isFinal()).isTrue();
  }

  private static AnalyticsRunSpec spec(@Nullable List<String> datasets, @Nullable Boolean cancel) {
    return AnalyticsRunSpecBuilder.builder()
        .className("python")
        .language(Language.PYTHON)
        .code("1")
        .datasets(datasets)
        .cancel(cancel)
        .build();
  }
}
