package dev.assay.local.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Probes which isolation works on this machine. */
public final class IsolationDetection {
  private static final Logger LOG = LoggerFactory.getLogger(IsolationDetection.class);
  private static final int TIMEOUT_SECONDS = 10;
  private static final long PROBE_BYTES = 64L * 1024 * 1024;
  private static final ContainerSpec.User USER = new ContainerSpec.User(65532, 65532, List.of());

  /** Holds only in a process namespace of its own, below a root that cannot be written to. */
  private static final List<String> PROBE =
      List.of("/bin/sh", "-c", "test $$ = 1 && test ! -w / && test ! -e /home");

  private IsolationDetection() {}

  /**
   * The best isolation that works here.
   *
   * @param python an interpreter for the helper, 3.11 or newer: a path, or a name in PATH
   * @throws IOException if it cannot be run, or no temporary directory can be made
   */
  public static Isolation detect(String python) throws IOException {
    Path executable = PythonInterpreter.find(python).executable();
    for (Isolation candidate : candidates()) {
      if (works(candidate, executable)) {
        return candidate;
      }
    }
    return Isolation.NONE;
  }

  /**
   * All isolation that works here, the best first.
   *
   * @param python as for {@link #detect}
   * @throws IOException as for {@link #detect}
   */
  public static List<Isolation> available(String python) throws IOException {
    Path executable = PythonInterpreter.find(python).executable();
    List<Isolation> found = new ArrayList<>();
    for (Isolation candidate : candidates()) {
      if (works(candidate, executable)) {
        found.add(candidate);
      }
    }
    return found;
  }

  /**
   * How the memory limit of containers is enforced here, however they are isolated.
   *
   * @param python as for {@link #detect}
   * @throws IOException as for {@link #detect}
   */
  public static MemoryLimit memoryLimit(String python) throws IOException {
    Path executable = PythonInterpreter.find(python).executable();
    Path directory = Files.createTempDirectory("assay-");
    try (ContainerRuntime runtime = ContainerRuntime.open(Isolation.NONE, executable, directory)) {
      ContainerProcess process = runtime.start(probe(directory));
      // That it is not isolated does not matter here, only that it has ended.
      Optional<String> unused = problem(process);
      return process.keepsMemoryLimit() ? MemoryLimit.CGROUP : MemoryLimit.SAMPLED;
    } finally {
      remove(directory);
    }
  }

  /** Whether containers can be isolated so by this user on this machine. */
  static boolean works(Isolation isolation, Path python) throws IOException {
    Path directory = Files.createTempDirectory("assay-");
    try (ContainerRuntime runtime = ContainerRuntime.open(isolation, python, directory)) {
      Optional<String> problem = problem(runtime.start(probe(directory)));
      problem.ifPresent(said -> LOG.info("{} does not work on this machine: {}", isolation, said));
      return problem.isEmpty();
    } finally {
      remove(directory);
    }
  }

  private static void remove(Path tree) throws IOException {
    try (Stream<Path> found = Files.walk(tree)) {
      for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /** Where {@code bwrap} is. */
  static Optional<Path> bubblewrap() {
    String path = System.getenv().getOrDefault("PATH", "");
    return List.of(path.split(":", -1)).stream()
        .filter(directory -> directory.startsWith("/"))
        .map(directory -> Path.of(directory, "bwrap"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /**
   * Those worth trying, the stronger first: with bubblewrap there is no Landlock. For root,
   * bubblewrap would make the container's user root outside.
   */
  static List<Isolation> candidates() {
    return bubblewrap().isPresent() && !HostUser.isRoot()
        ? List.of(Isolation.NAMESPACES, Isolation.BUBBLEWRAP)
        : List.of(Isolation.NAMESPACES);
  }

  private static ContainerSpec probe(Path directory) {
    return new ContainerSpec(
        PROBE,
        Map.of("PATH", "/usr/bin:/bin"),
        "/",
        List.of(),
        List.of(),
        false,
        USER,
        OptionalLong.of(PROBE_BYTES),
        directory.resolve("own"));
  }

  private static Optional<String> problem(ContainerProcess process) {
    try {
      Optional<String> problem = process.awaitStart();
      int code = process.onExit().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return problem.or(
          () -> code == 0 ? Optional.empty() : Optional.of("the container was not isolated"));
    } catch (TimeoutException e) {
      return Optional.of("timed out waiting for the container to end");
    } catch (ExecutionException e) {
      return Optional.of(e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    } finally {
      process.kill();
    }
  }
}
