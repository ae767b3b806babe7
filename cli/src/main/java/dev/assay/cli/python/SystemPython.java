package dev.assay.cli.python;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.cli.MachineException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Python on this machine that the libraries can be installed for.
 *
 * @param path of the program
 * @param version such as 3.11.2
 * @param build identifies it among those of its version
 */
public record SystemPython(Path path, String version, String build) {
  /** Names a program to use instead of the first one that fits. */
  public static final String VARIABLE = "ASSAY_PYTHON";

  /** Of the runner's image. */
  static final String IMAGE_VERSION = "3.11";

  /** In the order of preference: the one of the image first. */
  private static final List<String> NAMES =
      List.of("python3.11", "python3.12", "python3.13", "python3.14", "python3");

  private static final String DESCRIBE =
      """
      import ctypes.util, importlib.util, platform, sys
      needed = ("venv",) if sys.argv[1:] == ["provided"] else ("venv", "ensurepip")
      missing = [name for name in needed if not importlib.util.find_spec(name)]
      print(platform.python_version(), sys.implementation.name, sys.version_info >= (3, 11),
            "+".join(missing) or "-", ctypes.util.find_library("seccomp") or "-",
            sys.base_prefix, sep="\\t")
      """;

  /**
   * Searches the PATH.
   *
   * @throws MachineException if there is none that meets the requirements; the message says how to
   *     get one
   */
  public static SystemPython find() throws MachineException {
    List<String> unfit = new ArrayList<>();
    for (Path candidate : candidates().toList()) {
      Optional<SystemPython> found = inspect(candidate, unfit);
      if (found.isPresent()) {
        return found.get();
      }
    }
    throw new MachineException(
        unfit.isEmpty()
            ? "no Python was found: install Python 3.11 or later (on Debian and Ubuntu: sudo apt"
                + " install python3 python3-venv libseccomp2), or name one in "
                + VARIABLE
            : unfit.getFirst());
  }

  /** How it differs from the Python of run Pods, in a sentence; empty if it does not. */
  public Optional<String> difference() {
    return version.startsWith(IMAGE_VERSION + ".")
        ? Optional.empty()
        : Optional.of(
            "Code runs with Python %s, and on a cluster with %s: name a Python %s in %s to have the same"
                .formatted(version, IMAGE_VERSION, IMAGE_VERSION, VARIABLE));
  }

  private static Stream<Path> candidates() {
    String named = System.getenv(VARIABLE);
    if (named != null && !named.isBlank()) {
      return Stream.of(Path.of(named));
    }
    List<String> directories =
        List.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator));
    return NAMES.stream()
        .flatMap(name -> directories.stream().map(directory -> Path.of(directory, name)))
        .filter(Files::isExecutable);
  }

  private static Optional<SystemPython> inspect(Path program, List<String> unfit) {
    @Nullable String answer = answerOf(program);
    String[] parts = answer == null ? new String[0] : answer.strip().split("\t");
    if (parts.length != 6) {
      unfit.add(program + " does not work: name another Python 3.11 or later in " + VARIABLE);
      return Optional.empty();
    }
    String version = parts[0];
    if (!"cpython".equals(parts[1]) || !"True".equals(parts[2])) {
      unfit.add(
          "%s is %s %s, and Python 3.11 or later is needed: install it, or name it in %s"
              .formatted(program, parts[1], version, VARIABLE));
      return Optional.empty();
    }
    if (!"-".equals(parts[3])) {
      unfit.add(
          "%s has no module %s: install it (on Debian and Ubuntu: sudo apt install python3-venv)"
              .formatted(program, parts[3]));
      return Optional.empty();
    }
    if ("-".equals(parts[4])) {
      unfit.add(
          "the library libseccomp is missing: install it (on Debian and Ubuntu: sudo apt install"
              + " libseccomp2)");
      return Optional.empty();
    }
    return Optional.of(new SystemPython(program, version, version + " " + parts[5]));
  }

  private static @Nullable String answerOf(Path program) {
    try {
      Process process =
          new ProcessBuilder(
                  program.toString(),
                  "-I",
                  "-c",
                  DESCRIBE,
                  PythonEnvironment.provided().isEmpty() ? "installed" : "provided")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      String answer = new String(process.getInputStream().readAllBytes(), UTF_8);
      return process.waitFor() == 0 ? answer : null;
    } catch (IOException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }
}
