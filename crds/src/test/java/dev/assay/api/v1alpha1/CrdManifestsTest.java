package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Keeps the committed CRDs equal to the Java types.
 *
 * <p>After a change of the types: {@code ./mvnw -pl crds test -Dcrds.write}.
 */
class CrdManifestsTest {
  private static final Path COMMITTED = Path.of("manifests");
  private static final Path IN_CHART = Path.of("../helm/assay/files/crds");

  @Test
  void theCommittedManifestsAreWhatTheTypesGenerate(@TempDir Path scratch) throws IOException {
    Map<String, String> generated = CrdManifests.generate(scratch);
    if (System.getProperty("crds.write") != null) {
      write(COMMITTED, generated);
      write(IN_CHART, generated);
    }
    assertThat(read(COMMITTED)).isEqualTo(generated);
    assertThat(read(IN_CHART)).isEqualTo(generated);
  }

  private static Map<String, String> read(Path directory) throws IOException {
    Map<String, String> manifests = new TreeMap<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        manifests.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return manifests;
  }

  private static void write(Path directory, Map<String, String> manifests) throws IOException {
    Files.createDirectories(directory);
    for (Map.Entry<String, String> manifest : manifests.entrySet()) {
      Files.writeString(directory.resolve(manifest.getKey()), manifest.getValue());
    }
  }
}
