package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.local.api.resource.CustomResources;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.storage.ObjectStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class KeptObjectsTest {
  @TempDir private Path state;

  @Test
  void onlyTheirOwnerReadsThemAlsoInADirectoryThatOthersMayEnter() throws Exception {
    Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path file = Files.writeString(state.resolve("objects.json"), "{}");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    try (KeptObjects kept =
        new KeptObjects(
            file,
            new ObjectStorage(Clock.systemUTC()),
            ResourceDefinitions.withBuiltIn(CustomResources.assay()))) {
      kept.begin();
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    try (Stream<Path> left = Files.list(state)) {
      assertThat(left).containsExactly(file);
    }
  }
}
