package dev.assay.cli.jvm;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.cli.ChildProcess;
import dev.assay.cli.MachineException;
import dev.assay.cli.python.Cache;
import dev.assay.cli.python.Digest;
import dev.assay.jvm.layout.ArchiveTraining;
import dev.assay.jvm.layout.RunnerLayout;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory that the workers for SQL and for scripts are started from, made once in the cache,
 * and the JVM that this program runs on.
 *
 * @param directory of the worker
 * @param javaHome of the JVM
 * @param files what both need, besides the system's own
 */
public record JvmRunner(Path directory, Path javaHome, List<Path> files) {
  private static final Logger LOG = LoggerFactory.getLogger(JvmRunner.class);
  private static final String VARIABLE = "ASSAY_JVM_RUNNER";
  private static final ReentrantLock WITHIN_THIS_PROCESS = new ReentrantLock();
  private static final List<String> LOW_PRIORITY = List.of("nice", "-n", "19");

  public JvmRunner {
    files = List.copyOf(files);
  }

  /**
   * Finds the directory in the cache, or makes it.
   *
   * @throws MachineException if the cache cannot be written to, or this was interrupted
   */
  public static JvmRunner prepare() throws MachineException {
    try {
      return prepare(Cache.ofUser(), Path.of(System.getProperty("java.home")));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MachineException("the set-up was interrupted", e);
    } catch (IOException e) {
      throw new MachineException("the worker for SQL cannot be set up: " + e.getMessage(), e);
    }
  }

  static JvmRunner prepare(Cache cache, Path javaHome)
      throws MachineException, IOException, InterruptedException {
    String digest =
        new Digest()
            .add(javaHome.toString().getBytes(UTF_8))
            .add(Runtime.version().toString().getBytes(UTF_8))
            .add(RunnerLayout.identity().getBytes(UTF_8))
            .text();
    Path directory =
        cache.ensure(
            "jvm-" + digest,
            "native",
            () -> {},
            target -> RunnerLayout.createFor(target, javaHome));
    return new JvmRunner(directory, javaHome, files(directory, javaHome));
  }

  /** Packages of distributions have links to their configuration in the JVM's directory. */
  private static List<Path> files(Path directory, Path javaHome) throws IOException {
    Set<Path> files = new LinkedHashSet<>(List.of(directory, javaHome, javaHome.toRealPath()));
    Path security = javaHome.resolve("conf").resolve("security").resolve("java.security");
    if (security.toFile().exists()) {
      Path configured = Objects.requireNonNull(security.toRealPath().getParent());
      if (!configured.startsWith(javaHome.toRealPath())) {
        files.add(configured);
      }
    }
    return List.copyOf(files);
  }

  /**
   * Makes the archives of loaded classes that are missing, in the background: a first run need not
   * wait for what makes later ones start faster. A later start makes what was interrupted.
   */
  public void trainInBackground() {
    Thread.ofPlatform().daemon().name("class-archives").start(this::train);
  }

  /** Makes those archives, unless another process or thread is at it. */
  void train() {
    // A lock of a file is that of a process.
    if (WITHIN_THIS_PROCESS.tryLock()) {
      try {
        trainAlone();
      } finally {
        WITHIN_THIS_PROCESS.unlock();
      }
    }
  }

  private void trainAlone() {
    try (FileChannel channel =
            FileChannel.open(
                directory.resolve("training"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        return;
      }
      removeUnfinished();
      for (ArchiveTraining training : RunnerLayout.missingArchives(directory, javaHome)) {
        train(training);
      }
    } catch (IOException e) {
      LOG.debug("Archives of classes were not made", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void train(ArchiveTraining training) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(LOW_PRIORITY);
    command.addAll(training.command());
    try {
      // The JVM ends well also where the child that writes the archive was killed: then it leaves
      // the file that the child read.
      if (ChildProcess.run(command, line -> {}) == 0
          && Files.exists(training.unfinished())
          && !Files.exists(training.intermediate())) {
        Files.move(training.unfinished(), training.archive(), StandardCopyOption.ATOMIC_MOVE);
      }
    } finally {
      removeUnfinished();
    }
  }

  /** What a process has left that was killed. */
  private void removeUnfinished() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(ArchiveTraining::isUnfinished).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Whether it can run scripts, too: there is no V8 for some processors. */
  public static boolean runsScripts() {
    return RunnerLayout.hasScripts();
  }

  /** The variables by which the launcher finds it. */
  public Map<String, String> environment() {
    return Map.of(VARIABLE, directory.toString());
  }
}
