package dev.assay.jvm.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SurroundingsTest {
  private static final long MIB = 1024 * 1024;

  @Test
  void theEngineGetsThreeQuartersOfWhatTheJvmLeaves() {
    assertThat(Surroundings.engineBytes(1280 * MIB, OptionalLong.empty())).isEqualTo(768 * MIB);
    assertThat(Surroundings.engineBytes(1280 * MIB, OptionalLong.of(MIB))).isEqualTo(MIB);
    assertThat(Surroundings.engineBytes(1280 * MIB, OptionalLong.of(1 << 30))).isEqualTo(768 * MIB);
    assertThat(Surroundings.engineBytes(MIB, OptionalLong.empty())).isEqualTo(64 * MIB);
  }

  @Test
  void sizesHaveTheUnitsOfTheEngine() {
    assertThat(Surroundings.size("2GB")).hasValue(2_000_000_000L);
    assertThat(Surroundings.size(" 1.5 gib\n")).hasValue(1536 * MIB);
    assertThat(Surroundings.size("123")).hasValue(123);
    for (String text : new String[] {"", "max", "-1", "0", "3 parsecs", "80%"}) {
      assertThat(Surroundings.size(text)).describedAs(text).isEmpty();
    }
  }

  @Test
  void theEnvironmentOfTheContainerSaysHowMuchThereIs(@TempDir Path scratch) throws Exception {
    Surroundings found =
        Surroundings.of(
            Map.of(
                "ASSAY_SCRATCH_DIR", scratch.toString(),
                "ASSAY_DATASETS_DIR", "/data",
                "ASSAY_MEMORY_BYTES", Long.toString(1280 * MIB),
                "ASSAY_SCRATCH_BYTES", Long.toString(10 * MIB),
                "DUCKDB_MEMORY_LIMIT", "2GB"));
    assertThat(found.datasets()).isEqualTo(Path.of("/data"));
    assertThat(found.memoryBytes()).isEqualTo(768 * MIB);
    assertThat(found.temporaryBytes()).isEqualTo(8 * MIB);
  }
}
