package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClassSpec.ClassTools;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LocalObjectsTest {
  @Test
  void asManyScriptsRunAtATimeAsTheFileSays() {
    LocalConfig config = LocalConfigFile.parse("{\"code_execution_pool_size\": 3}", Map.of());

    assertThat(LocalObjects.scripts(config.scriptsAtOnce()).getSpec().maxConcurrentRuns())
        .isEqualTo(3);
  }

  @Test
  void pythonCallsToolsOnlyWhereThereAreServers() {
    assertThat(LocalObjects.python(AnalyticsSettings.DEFAULT, false).getSpec().tools()).isNull();
    ClassTools tools = LocalObjects.python(AnalyticsSettings.DEFAULT, true).getSpec().tools();
    assertThat(Objects.requireNonNull(tools).servers()).containsExactly("*");
  }
}
