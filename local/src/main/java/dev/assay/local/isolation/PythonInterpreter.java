package dev.assay.local.isolation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A Python of this machine.
 *
 * @param executable the interpreter itself, whatever script or link leads to it
 * @param readOnlyPaths the files and directories that it needs, and nothing that merely lies beside
 *     them: its prefix may be a person's home directory
 */
public record PythonInterpreter(Path executable, List<Path> readOnlyPaths) {
  private static final String QUESTION =
      """
      import glob, importlib, os, sys
      assert sys.version_info >= (3, 11), sys.version
      needed = {os.path.join(sys.prefix, "pyvenv.cfg"), *sys.path}
      program = sys.executable
      while program not in needed:
          needed.add(program)
          if os.path.islink(program):
              folder = os.path.dirname(program)
              program = os.path.normpath(os.path.join(folder, os.readlink(program)))
      # Extension modules are loaded to find the libraries that they need. Some print as they load.
      for folder in filter(lambda path: path.endswith("lib-dynload"), sys.path):
          for file in glob.glob(os.path.join(glob.escape(folder), "*.so")):
              name = os.path.basename(file).partition(".")[0]
              if name != "readline" and not name.startswith(("_test", "_xx")):
                  try:
                      importlib.import_module(name)
                  except Exception:
                      pass
      with open("/proc/self/maps") as maps:
          mapped = {line.split(None, 5)[5].strip() for line in maps if ".so" in line}
      there = ("/usr/", "/lib", *(os.path.realpath(path) + "/" for path in sys.path))
      for library in mapped:
          if not library.startswith(there):
              folder = os.path.dirname(library)
              paths = [os.path.join(folder, name) for name in os.listdir(folder)]
              needed |= {path for path in paths if os.path.realpath(path) == library}
      print(sys.executable, *(path for path in needed if os.path.exists(path)), sep="\\n")
      """;

  public PythonInterpreter {
    readOnlyPaths = List.copyOf(readOnlyPaths);
  }

  /**
   * Asks an interpreter where it is.
   *
   * @param command a path, or a name that is looked for in PATH
   * @throws IOException if it cannot be run, is older than 3.11, or needs a directory that holds
   *     the home directory
   */
  public static PythonInterpreter find(String command) throws IOException {
    return find(command, Path.of(System.getProperty("user.home")));
  }

  static PythonInterpreter find(String command, Path home) throws IOException {
    Process process =
        new ProcessBuilder(command, "-I", "-c", QUESTION)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    List<Path> paths = answer.lines().map(Path::of).toList();
    if (paths.isEmpty()) {
      throw new IOException(command + " is not a Python of version 3.11 or newer");
    }
    for (Path path : paths) {
      if (home.startsWith(path)) {
        throw new IOException(
            "%s reads its modules from %s, and code would see your home directory there: use another"
                    .formatted(command, path)
                + " Python");
      }
    }
    return new PythonInterpreter(paths.getFirst(), paths);
  }
}
