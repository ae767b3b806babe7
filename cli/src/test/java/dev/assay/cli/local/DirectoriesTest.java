package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.cli.MachineException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoriesTest {
  @TempDir private Path folder;

  @Test
  void aStateThatIsCreatedIsTheUsersOwn() throws Exception {
    Path state = folder.resolve("state");
    try (Directories directories = Directories.make(state)) {
      assertThat(directories.snapshots()).startsWith(state);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state)))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void aStateThatOthersMayEnterIsRefused() throws Exception {
    Path state = Files.createDirectory(folder.resolve("state"));
    Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThatThrownBy(() -> Directories.make(state))
        .isInstanceOf(MachineException.class)
        .hasMessageContaining("--state: ")
        .hasMessageContaining("chmod 700");
    assertThat(state).isEmptyDirectory();
  }
}
