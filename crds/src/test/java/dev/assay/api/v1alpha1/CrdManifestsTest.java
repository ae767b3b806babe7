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
 * <p>After a change of the types: {@code ./mvnw -pl crds test -Dcrds.write}. It raises the revision
 * of each CRD that has changed: no version replaces a CRD of a higher one.
 */
class CrdManifestsTest {
  private static final Path COMMITTED = Path.of("manifests");
  private static final Path IN_CHART = Path.of("../helm/assay/files/crds");

  @Test
  void theCommittedManifestsAreWhatTheTypesGenerate(@TempDir Path scratch) throws IOException {
    Map<String, String> generated = CrdManifests.generate(scratch, read(COMMITTED));
    if (System.getProperty("crds.write") != null) {
      write(COMMITTED, generated);
      write(IN_CHART, generated);
    }
    assertThat(read(COMMITTED)).isEqualTo(generated);
    assertThat(read(IN_CHART)).isEqualTo(generated);
  }

  @Test
  void aCrdThatChangesHasAHigherRevision(@TempDir Path scratch) throws IOException {
    Map<String, String> committed = read(COMMITTED);
    Map<String, String> before = new TreeMap<>(committed);
    before.replaceAll(
        (name, crd) ->
            name.startsWith("datasets.")
                ? crd.replace("Ready", "Done").replaceFirst("revision: .*", "revision: \"41\"")
                : crd);
    Map<String, String> generated = CrdManifests.generate(scratch, before);
    assertThat(generated.remove("datasets.assay.dev.yaml"))
        .isEqualTo(
            committed
                .remove("datasets.assay.dev.yaml")
                .replaceFirst("revision: .*", "revision: \"42\""));
    assertThat(generated).isEqualTo(committed);
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
