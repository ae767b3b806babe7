package dev.assay.local.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds out by trying which isolation this machine can give. */
public final class IsolationDetection {
  private static final Logger LOG = LoggerFactory.getLogger(IsolationDetection.class);
  private static final int PATIENCE_SECONDS = 10;
  private static final ContainerSpec.User USER = new ContainerSpec.User(65532, 65532, List.of());

  /** Holds only in a process namespace of its own, below a root that cannot be written to. */
  private static final List<String> PROBE =
      List.of("/bin/sh", "-c", "test $$ = 1 && test ! -w / && test ! -e /home");

  private IsolationDetection() {}

  /**
   * The best isolation that works here.
   *
   * @param python an interpreter for the helper, 3.11 or newer
   * @param directory an empty one, for what is tried
   * @throws IOException if the directory cannot be written to
   */
  public static Isolation detect(Path python, Path directory) throws IOException {
    for (Isolation candidate : candidates()) {
      if (works(candidate, python, Files.createDirectory(directory.resolve(candidate.name())))) {
        return candidate;
      }
    }
    return Isolation.NONE;
  }

  /** Whether one isolation works here. */
  static boolean works(Isolation candidate, Path python, Path directory) throws IOException {
    try (ContainerRuntime runtime = ContainerRuntime.open(candidate, python, directory)) {
      Optional<String> problem = problem(runtime.start(probe(directory)));
      problem.ifPresent(why -> LOG.info("{} does not work on this machine: {}", candidate, why));
      return problem.isEmpty();
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

  /** For root, bubblewrap would make the container's user root outside of it. */
  private static List<Isolation> candidates() {
    List<Isolation> candidates = new ArrayList<>();
    if (bubblewrap().isPresent() && !HostUser.isRoot()) {
      candidates.add(Isolation.BUBBLEWRAP);
    }
    candidates.add(Isolation.NAMESPACES);
    return candidates;
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
        directory.resolve("own"));
  }

  private static Optional<String> problem(ContainerProcess process) {
    try {
      Optional<String> problem = process.awaitStart();
      int code = process.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return problem.or(
          () -> code == 0 ? Optional.empty() : Optional.of("the container was not isolated"));
    } catch (TimeoutException e) {
      return Optional.of("the container did not end");
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
