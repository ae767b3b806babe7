package dev.assay.local.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class PlainPathsTest {
  private static final long MEMORY_BYTES = 1024;

  @Test
  void theEnvironmentNamesTheDirectoriesThatStandForThePodsOwn() {
    PlainPaths plain =
        PlainPaths.of(
            spec(
                Map.of("HOME", "/scratch", "MPLCONFIGDIR", "/scratch/matplotlib", "X", "/scratchy"),
                new Mount.Bind("/scratch", Path.of("/p/scratch"), true),
                new Mount.Bind("/run/assay", Path.of("/p/socket"), false),
                new Mount.Bind("/datasets/sales", Path.of("/data/1"), false)));

    assertThat(plain.spec().directory()).isEqualTo("/p/scratch");
    assertThat(plain.spec().mounts()).isEmpty();
    assertThat(plain.spec().environment())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "HOME", "/p/scratch",
                "MPLCONFIGDIR", "/p/scratch/matplotlib",
                "X", "/scratchy",
                "ASSAY_SCRATCH_DIR", "/p/scratch",
                "ASSAY_SOCKET", "/p/socket/launcher.sock",
                "ASSAY_DATASETS_DIR", "/own/datasets"));
    assertThat(plain.links()).isEqualTo(Map.of(Path.of("/own/datasets/sales"), Path.of("/data/1")));
  }

  @Test
  void aSnapshotPodFindsItsDirectories() {
    PlainPaths plain =
        PlainPaths.of(
            spec(
                Map.of("ASSAY_SNAPSHOT_DIR", "/snapshot"),
                new Mount.Bind("/snapshot", Path.of("/data/2"), true),
                new Mount.Bind("/source", Path.of("/files"), false)));

    assertThat(plain.spec().environment())
        .containsEntry("ASSAY_SNAPSHOT_DIR", "/data/2")
        .containsEntry("ASSAY_SOURCE_DIR", "/files");
  }

  @Test
  void theLimitOfMemoryStays() {
    assertThat(PlainPaths.of(spec(Map.of())).spec().memoryLimit()).hasValue(MEMORY_BYTES);
  }

  private static ContainerSpec spec(Map<String, String> environment, Mount... mounts) {
    return new ContainerSpec(
        List.of("python3"),
        environment,
        "/scratch",
        List.of(),
        List.of(mounts),
        false,
        new ContainerSpec.User(65532, 65532, List.of()),
        OptionalLong.of(MEMORY_BYTES),
        Path.of("/own"));
  }
}
