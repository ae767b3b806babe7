package dev.assay.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UserDirectoriesTest {
  private static final Path ACCOUNT = Path.of("/home/ann");

  @Test
  void theyAreWhereTheVariablesOfTheSpecificationSay() {
    assertThat(
            UserDirectories.of(
                Map.of("XDG_CACHE_HOME", "/fast", "XDG_STATE_HOME", "/kept", "HOME", "/x"),
                ACCOUNT))
        .isEqualTo(new UserDirectories(Path.of("/fast"), Path.of("/kept")));
  }

  @Test
  void theyAreInTheHomeThatAShellExpands() {
    assertThat(UserDirectories.of(Map.of("HOME", "/tmp/ann", "XDG_CACHE_HOME", " "), ACCOUNT))
        .isEqualTo(
            new UserDirectories(Path.of("/tmp/ann/.cache"), Path.of("/tmp/ann/.local/state")));
  }

  @Test
  void theyAreInTheHomeOfTheAccountWithoutAVariable() {
    assertThat(UserDirectories.of(Map.of(), ACCOUNT))
        .isEqualTo(
            new UserDirectories(Path.of("/home/ann/.cache"), Path.of("/home/ann/.local/state")));
  }
}
