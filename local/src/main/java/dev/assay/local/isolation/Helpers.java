package dev.assay.local.isolation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processes that start containers. Two are kept ready, since an interpreter takes longer to
 * start than all else. A helper ends, with its container, when its stdin does, and so when this
 * process ends in whatever way.
 */
final class Helpers implements AutoCloseable {
  static final String PACKAGE = "assay_container";
  static final List<String> FILES =
      List.of(
          "__init__.py",
          "__main__.py",
          "container.py",
          "control.py",
          "landlock.py",
          "memory_group.py",
          "namespaces.py",
          "processes.py",
          "root.py",
          "specification.py",
          "system_calls.py");

  private static final Logger LOG = LoggerFactory.getLogger(Helpers.class);
  private static final int SPARE = 2;
  private static final int TIMEOUT_SECONDS = 5;

  private final Path python;
  private final Path directory;
  private final ConcurrentLinkedQueue<Process> spare = new ConcurrentLinkedQueue<>();
  private boolean closed;

  /**
   * Writes the helper's program.
   *
   * @param python an interpreter, 3.11 or newer
   * @param directory where to write it
   */
  Helpers(Path python, Path directory) throws IOException {
    this.python = python;
    this.directory = directory;
    Path target = Files.createDirectories(directory.resolve(PACKAGE));
    for (String file : FILES) {
      try (InputStream source = Helpers.class.getResourceAsStream(PACKAGE + "/" + file)) {
        if (source == null) {
          throw new IllegalStateException("missing from this program: " + file);
        }
        Files.copy(source, target.resolve(file));
      }
    }
  }

  /** Makes what is kept ready, in the background. */
  void fill() {
    Thread.ofVirtual()
        .name("container-helpers")
        .start(
            () -> {
              try {
                launchSpare();
              } catch (IOException e) {
                LOG.warn("No helper could be started ahead of time: {}", e.toString());
              }
            });
  }

  private synchronized void launchSpare() throws IOException {
    while (!closed && spare.size() < SPARE) {
      spare.add(launch());
    }
  }

  /** A helper that waits to be told what to run. */
  Process take() throws IOException {
    @Nullable Process ready = spare.poll();
    return ready != null && ready.isAlive() ? ready : launch();
  }

  private Process launch() throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(python.toString(), "-I", "-S", directory.resolve(PACKAGE).toString());
    builder.environment().clear();
    return builder.start();
  }

  /** Returns when those that were kept ready have ended, since they may still write bytecode. */
  @Override
  public synchronized void close() {
    closed = true;
    for (Process helper = spare.poll(); helper != null; helper = spare.poll()) {
      try {
        helper.getOutputStream().close();
        if (!helper.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
          helper.destroyForcibly();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        helper.destroyForcibly();
      }
    }
  }
}
