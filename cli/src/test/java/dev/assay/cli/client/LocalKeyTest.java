package dev.assay.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalKeyTest {
  @TempDir private Path folder;

  @Test
  void theFirstStartMakesTheKeyAndLaterOnesKeepIt() throws IOException {
    LocalKey key = new LocalKey(folder.resolve("assay").resolve("api-key"));
    assertThat(key.read()).isEmpty();
    String made = key.readOrCreate();
    assertThat(made).matches("[A-Za-z0-9_-]{43}");
    assertThat(key.readOrCreate()).isEqualTo(made);
    assertThat(key.read()).contains(made);
  }

  @Test
  void nobodyButItsOwnerReadsIt() throws IOException {
    LocalKey key = new LocalKey(folder.resolve("assay").resolve("api-key"));
    key.readOrCreate();
    assertThat(permissions(key.file())).isEqualTo("rw-------");
    assertThat(permissions(folder.resolve("assay"))).isEqualTo("rwx------");
    try (Stream<Path> left = Files.list(folder.resolve("assay"))) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("api-key", "lock");
    }
  }

  @Test
  void aKeyThatOthersMayReadIsRefusedWithTheRemedy() throws IOException {
    LocalKey key = new LocalKey(folder.resolve("api-key"));
    key.readOrCreate();
    Files.setPosixFilePermissions(key.file(), PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(key::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(key.file().toString())
        .hasMessageContaining("chmod 600");
  }

  @Test
  void firstStartsAtATimeAgreeOnOneKey() throws Exception {
    LocalKey key = new LocalKey(folder.resolve("api-key"));
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      Callable<String> start = key::readOrCreate;
      List<Future<String>> keys = threads.invokeAll(List.of(start, start, start, start));
      String first = keys.getFirst().get();
      for (Future<String> other : keys) {
        assertThat(other.get()).isEqualTo(first);
      }
    }
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
