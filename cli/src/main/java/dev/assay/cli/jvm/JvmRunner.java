package dev.assay.cli.jvm;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.cli.MachineException;
import dev.assay.cli.python.Cache;
import dev.assay.cli.python.Digest;
import dev.assay.jvm.layout.RunnerLayout;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The directory that the workers for SQL and for scripts are started from, made once in the cache,
 * and the JVM that this program runs on.
 *
 * @param directory of the worker
 * @param javaHome of the JVM
 * @param files what both need, besides the system's own
 */
public record JvmRunner(Path directory, Path javaHome, List<Path> files) {
  private static final String VARIABLE = "ASSAY_JVM_RUNNER";

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

  /** Whether it can run scripts, too: there is no V8 for some processors. */
  public static boolean runsScripts() {
    return RunnerLayout.hasScripts();
  }

  /** The variables by which the launcher finds it. */
  public Map<String, String> environment() {
    return Map.of(VARIABLE, directory.toString());
  }
}
