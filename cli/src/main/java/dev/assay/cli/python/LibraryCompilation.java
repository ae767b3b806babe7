package dev.assay.cli.python;

import dev.assay.cli.MachineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compiles the libraries of an environment whose installer did not: code that runs may not write to
 * them, so that each run would compile again what it imports. Nothing depends on it; without it, as
 * where their folder cannot be written to, runs only start more slowly.
 */
final class LibraryCompilation {
  private static final Logger LOG = LoggerFactory.getLogger(LibraryCompilation.class);

  /** What workers import before there is a job: an import writes what it has compiled. */
  private static final String FIRST =
      "import assay_runner.snapshot.build, assay_runner.worker.datasets,"
          + " assay_runner.worker.library_patches";

  /**
   * Compiles as imports do, skipping what is compiled, and the libraries' tests, which nobody
   * imports. Files that are not valid Python are ignored; what is no file would block it, or never
   * end.
   */
  private static final String ALL =
      """
      import contextlib, os, pathlib, sys
      from importlib.machinery import SourceFileLoader

      os.nice(19)
      for folder in sys.argv[1:]:
          for source in pathlib.Path(folder).rglob("*.py"):
              is_file = source.is_file() and not source.is_symlink()
              if is_file and "tests" not in source.relative_to(folder).parts:
                  with contextlib.suppress(Exception):
                      SourceFileLoader("", str(source)).get_code("")
      """;

  private final Path interpreter;
  private final List<Path> libraries;
  private final Path done;

  /**
   * Compiles libraries that are outside the private environment.
   *
   * @param directory of this Python; it records there that all are compiled
   */
  LibraryCompilation(Path directory, List<Path> libraries) {
    this.interpreter = directory.resolve("bin/python");
    this.libraries = libraries.stream().filter(Files::isWritable).toList();
    this.done = directory.resolve("compiled");
  }

  /** Compiles what each of the first runs would compile, which takes about as long as one start. */
  void compileFirst() throws IOException, InterruptedException {
    if (!libraries.isEmpty()) {
      run(FIRST);
    }
  }

  /** Compiles the others in the background; a later start continues what was interrupted. */
  void startInBackground() {
    Thread.ofPlatform().daemon().name("library-compilation").start(this::compileAll);
  }

  /** Compiles the others, unless an earlier start has. */
  void compileAll() {
    try {
      if (!libraries.isEmpty() && !Files.exists(done) && run(ALL)) {
        Files.write(done, new byte[0]);
      }
    } catch (IOException e) {
      LOG.debug("The Python libraries were not compiled", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean run(String code) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(interpreter.toString(), "-I", "-W", "ignore", "-c", code));
    libraries.forEach(folder -> command.add(folder.toString()));
    try {
      PythonEnvironment.run(command, line -> {});
      return true;
    } catch (MachineException e) {
      LOG.debug("Some libraries in {} were not compiled: {}", libraries, e.getMessage());
      return false;
    }
  }
}
