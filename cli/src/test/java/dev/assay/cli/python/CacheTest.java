package dev.assay.cli.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.cli.MachineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CacheTest {
  @TempDir private Path root;
  private final AtomicInteger made = new AtomicInteger();
  private Cache cache = new Cache(Path.of("unused"));

  @BeforeEach
  void begin() {
    cache = new Cache(root);
  }

  @Test
  void whatIsThereIsNotMadeAgain() throws Exception {
    Path first = ensure();
    assertThat(ensure()).isEqualTo(first);
    assertThat(made).hasValue(1);
  }

  @Test
  void onlyWhatIsThereWithAllOfItsFilesIsComplete() throws Exception {
    assertThat(cache.has("libraries", "site")).isFalse();
    Path directory = ensure();
    assertThat(cache.has("libraries", "site")).isTrue();
    Files.createDirectories(directory.resolve("site").resolve("another"));
    assertThat(cache.has("libraries", "site")).isFalse();
  }

  @Test
  void whatWasNotFinishedIsMadeAgain() throws Exception {
    assertThatThrownBy(
            () ->
                cache.ensure(
                    "libraries",
                    "site",
                    () -> {},
                    directory -> {
                      Files.createFile(directory.resolve("half"));
                      throw new MachineException("killed");
                    }))
        .hasMessage("killed");
    assertThat(ensure().resolve("half")).doesNotExist();
    assertThat(made).hasValue(1);
  }

  @Test
  void aSecondThreadOfTheProcessWaitsAndFindsItMade() throws Exception {
    CompletableFuture<Path> second = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                second.complete(ensure());
              } catch (Exception e) {
                second.completeExceptionally(e);
              }
            });
    Path first =
        cache.ensure(
            "libraries",
            "site",
            () -> {},
            directory -> {
              thread.start();
              while (thread.getState() != Thread.State.WAITING && !second.isDone()) {
                Thread.onSpinWait();
              }
              make(directory);
            });

    assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(first);
    assertThat(made).hasValue(1);
  }

  @Test
  void whatHasLostAFileIsMadeAgain() throws Exception {
    Files.delete(ensure().resolve("site/numpy/core.py"));
    assertThat(ensure().resolve("site/numpy/core.py")).exists();
    assertThat(made).hasValue(2);
  }

  @Test
  void whatPythonCompilesIsNoLoss() throws Exception {
    Files.createDirectories(ensure().resolve("site/numpy/__pycache__"));
    Files.createDirectories(ensure().resolve("site/__pycache__"));
    Path unused = ensure();
    assertThat(made).hasValue(1);
  }

  @Test
  void aPlaceThatCannotBeADirectoryIsNamedWithTheRemedy() throws Exception {
    Path file = Files.createFile(root.resolve("file"));
    cache = new Cache(file);
    assertThatThrownBy(this::ensure)
        .isInstanceOf(MachineException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("XDG_CACHE_HOME");
  }

  private Path ensure() throws MachineException, InterruptedException {
    return cache.ensure("libraries", "site", () -> {}, this::make);
  }

  private void make(Path directory) throws IOException {
    made.incrementAndGet();
    Path numpy = Files.createDirectories(directory.resolve("site/numpy"));
    Files.writeString(numpy.resolve("core.py"), "1");
  }
}
