package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.cli.MachineException;
import dev.assay.frontend.config.FrontEndConfig;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnalyticsSettingsTest {
  private static final Map<String, String> ALL =
      Map.of(
          "POLARS_MAX_THREADS", "4",
          "DUCKDB_MEMORY_LIMIT", "2GB",
          "CACHE_MAX_SIZE", "0.5 GiB",
          "CACHE_TTL_SECONDS", "60",
          "MAX_QUERY_TIME_MS", "1500",
          "STREAMING_THRESHOLD_MB", "100");

  @Test
  void eachVariableIsPutWhereItBelongs() throws Exception {
    AnalyticsSettings settings = AnalyticsSettings.read(ALL);
    assertThat(LocalObjects.python(settings, false).getSpec().environment())
        .containsExactly(Map.entry("POLARS_MAX_THREADS", "4"));
    assertThat(LocalObjects.sql(settings).getSpec().environment())
        .containsExactly(Map.entry("DUCKDB_MEMORY_LIMIT", "2000000000B"));
    assertThat(LocalObjects.snapshots(settings).getSpec().sourceLimits().frameBytes())
        .isEqualTo(100L << 20);
    assertThat(settings.cacheBytes()).isEqualTo(512L << 20);
    FrontEndConfig frontEnd = frontEnd(settings);
    assertThat(frontEnd.analytics().cacheTtl()).isEqualTo(60);
    assertThat(frontEnd.defaults().timeout()).as("whole seconds").isEqualTo(2);
  }

  @Test
  void withoutVariablesEverySettingHasItsDefault() throws Exception {
    assertThat(AnalyticsSettings.read(Map.of("POLARS_MAX_THREADS", " ", "HOME", "/")))
        .isEqualTo(AnalyticsSettings.DEFAULT);
    FrontEndConfig frontEnd = frontEnd(AnalyticsSettings.DEFAULT);
    assertThat(frontEnd.analytics().cacheTtl()).isEqualTo(3600);
    assertThat(frontEnd.defaults().timeout()).isEqualTo(30);
    assertThat(
            LocalObjects.snapshots(AnalyticsSettings.DEFAULT).getSpec().sourceLimits().frameBytes())
        .isEqualTo(1L << 30);
  }

  @ParameterizedTest
  @CsvSource({
    "POLARS_MAX_THREADS, 0",
    "POLARS_MAX_THREADS, four",
    "DUCKDB_MEMORY_LIMIT, 80%",
    "DUCKDB_MEMORY_LIMIT, 2",
    "CACHE_MAX_SIZE, 0GB",
    "CACHE_MAX_SIZE, 2XB",
    "CACHE_MAX_SIZE, 999999999999TB",
    "CACHE_TTL_SECONDS, -1",
    "CACHE_TTL_SECONDS, 604801",
    "MAX_QUERY_TIME_MS, 600001",
    "MAX_QUERY_TIME_MS, 1e3",
    "STREAMING_THRESHOLD_MB, 99999999999"
  })
  void anInvalidValueIsAnErrorThatNamesTheVariable(String name, String value) {
    assertThatThrownBy(() -> AnalyticsSettings.read(Map.of(name, value)))
        .isInstanceOf(MachineException.class)
        .hasMessageContaining(name)
        .hasMessageContaining("must be");
  }

  private static FrontEndConfig frontEnd(AnalyticsSettings settings) {
    return FrontEndConfigs.of(
        new LocalSettings(0, null, null, settings, LocalConfig.NONE), Path.of("keys"));
  }
}
