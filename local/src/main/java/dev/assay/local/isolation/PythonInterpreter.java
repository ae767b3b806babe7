package dev.assay.local.isolation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Python of this machine.
 *
 * @param executable the interpreter itself, whatever script or link leads to it
 * @param readOnlyPaths the directories that it needs
 */
public record PythonInterpreter(Path executable, List<Path> readOnlyPaths) {
  private static final String QUESTION =
      """
      import os, sys
      assert sys.version_info >= (3, 11), sys.version
      real = os.path.realpath(sys.executable)
      print(sys.executable, sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(real)), \
      sep="\\n")
      """;

  /**
   * Asks an interpreter where it is.
   *
   * @param command a path, or a name that is looked for in PATH
   * @throws IOException if it cannot be run, or is older than 3.11
   */
  public static PythonInterpreter find(String command) throws IOException {
    Process process =
        new ProcessBuilder(command, "-I", "-c", QUESTION)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    List<String> lines = answer.lines().toList();
    if (lines.size() != 4) {
      throw new IOException(command + " is not a Python of version 3.11 or newer");
    }
    List<Path> directories =
        Stream.of(lines.get(1), lines.get(2), lines.get(3)).map(Path::of).distinct().toList();
    return new PythonInterpreter(Path.of(lines.getFirst()), directories);
  }
}
