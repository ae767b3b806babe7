package dev.assay.cli.python;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.assay.cli.ChildProcess;
import dev.assay.cli.DirectoryTree;
import dev.assay.cli.MachineException;
import dev.assay.cli.text.Progress;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The Python that payloads run with: the libraries of the image, and the runner in a private
 * virtual environment before them. The libraries are those of the environment that the wheel is
 * installed in, or are installed into one more private environment, once, from pinned and hashed
 * requirements.
 *
 * @param interpreter of the second
 * @param directories that it needs, besides the system's own
 */
public record PythonEnvironment(Path interpreter, List<Path> directories) {
  public PythonEnvironment {
    directories = List.copyOf(directories);
  }

  private static final String LIBRARIES = "libraries-";

  /** The folders of the libraries where the wheel has brought them, as in a PATH. */
  private static final String PROVIDED = "ASSAY_PYTHON_LIBRARIES";

  /**
   * Finds the environment in the cache, or makes it.
   *
   * @throws MachineException where this machine lacks something; the message says what to do
   */
  public static PythonEnvironment prepare(Progress progress)
      throws MachineException, InterruptedException {
    SystemPython python = SystemPython.find();
    python.difference().ifPresent(progress::say);
    return prepare(python, Cache.ofUser(), provided(), progress);
  }

  static PythonEnvironment prepare(
      SystemPython python, Cache cache, List<Path> provided, Progress progress)
      throws MachineException, InterruptedException {
    try {
      Requirements requirements = Requirements.ofTheRunner();
      RunnerSources sources = RunnerSources.read();
      String site = site(python);
      String digest = digest(requirements, python);
      Runnable waiting =
          () -> progress.say("Another start is setting up the Python libraries; waiting for it");
      List<Path> libraries =
          provided.isEmpty()
              ? List.of(
                  cache
                      .ensure(
                          LIBRARIES + digest,
                          site,
                          waiting,
                          directory ->
                              install(python, requirements, directory, cache.fetched(), progress))
                      .resolve(site))
              : provided;
      Digest all = new Digest().add(digest.getBytes(UTF_8)).add(sources.digest().getBytes(UTF_8));
      provided.forEach(folder -> all.add(folder.toString().getBytes(UTF_8)));
      Path runner =
          cache.ensure(
              "runner-" + all.text(),
              "src/assay_runner",
              waiting,
              directory -> {
                addRunner(python, sources, directory, site, libraries);
                new LibraryCompilation(directory, provided).compileFirst();
              });
      new LibraryCompilation(runner, provided).startInBackground();
      return new PythonEnvironment(
          runner.resolve("bin").resolve("python"),
          Stream.concat(Stream.of(runner), libraries.stream()).toList());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * The folders of the libraries that the wheel has brought; empty from a copy of the repository.
   */
  public static List<Path> provided() {
    return Stream.of(
            Optional.ofNullable(System.getenv(PROVIDED)).orElse("").split(File.pathSeparator))
        .filter(folder -> !folder.isEmpty())
        .map(Path::of)
        .toList();
  }

  /** Whether the libraries are there, for this Python and in these versions. */
  public static boolean hasLibraries(SystemPython python) throws MachineException {
    return hasLibraries(python, Cache.ofUser());
  }

  static boolean hasLibraries(SystemPython python, Cache cache) throws MachineException {
    try {
      return cache.has(LIBRARIES + digest(Requirements.ofTheRunner(), python), site(python));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String digest(Requirements requirements, SystemPython python) {
    return new Digest()
        .add(requirements.text().getBytes(UTF_8))
        .add(python.build().getBytes(UTF_8))
        .text();
  }

  private static String site(SystemPython python) {
    return "lib/python%s/site-packages"
        .formatted(python.version().replaceFirst("^(\\d+\\.\\d+).*", "$1"));
  }

  /** Removes all that was set up; the next start sets it up again. */
  public static void discard() throws MachineException {
    Cache.ofUser().clear();
  }

  /** Where it is kept. */
  public static Path location() {
    return Cache.ofUser().root();
  }

  private static void install(
      SystemPython python,
      Requirements requirements,
      Path directory,
      Path fetched,
      Progress progress)
      throws IOException, MachineException, InterruptedException {
    List<String> names = requirements.names();
    progress.begin("Fetching Python libraries, only this time", names.size());
    try {
      venv(python, directory, List.of());
      Path file = directory.resolve("requirements.txt");
      Files.writeString(file, requirements.text());
      List<String> command =
          new ArrayList<>(
              List.of(
                  directory.resolve("bin/python").toString(),
                  "-I",
                  "-m",
                  "pip",
                  "install",
                  "--disable-pip-version-check",
                  "--no-input",
                  "--progress-bar=off",
                  "--no-compile",
                  "--require-hashes",
                  "--only-binary",
                  ":all:",
                  "-r",
                  file.toString()));
      if (Files.isDirectory(fetched)) {
        command.addAll(List.of("--find-links", fetched.toString()));
      }
      run(
          command,
          line -> {
            if (line.startsWith("Collecting ")) {
              progress.advance(1);
            }
          });
      compile(directory, directory.resolve(site(python)));
      DirectoryTree.remove(fetched);
    } finally {
      progress.end();
    }
  }

  private static void addRunner(
      SystemPython python, RunnerSources sources, Path directory, String site, List<Path> libraries)
      throws IOException, MachineException, InterruptedException {
    venv(python, directory, List.of("--without-pip"));
    sources.copyTo(directory);
    Path packages = directory.resolve(RunnerSources.PACKAGES);
    // The library is not on the path: only code mode puts it there.
    Path library = directory.resolve(RunnerSources.LIBRARY);
    Files.write(
        directory.resolve(site).resolve("assay.pth"),
        Stream.concat(Stream.of(packages), libraries.stream()).map(Path::toString).toList());
    compile(directory, packages, library);
    findFonts(directory);
  }

  /** All but the tests of libraries, which are a third of them and which nobody imports. */
  private static void compile(Path directory, Path... packages)
      throws IOException, MachineException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                directory.resolve("bin/python").toString(),
                "-I",
                "-m",
                "compileall",
                "-q",
                "-j",
                "0",
                "-x",
                "/tests/"));
    Stream.of(packages).map(Path::toString).forEach(command::add);
    run(command, line -> {});
  }

  /** Once for all runs, as it is in the image; the launcher looks for it there. */
  private static void findFonts(Path directory)
      throws IOException, MachineException, InterruptedException {
    run(
        List.of(
            directory.resolve("bin/python").toString(),
            "-I",
            "-m",
            "assay_runner.fonts",
            directory.resolve("share/assay/matplotlib").toString()),
        line -> {});
  }

  private static void venv(SystemPython python, Path directory, List<String> options)
      throws IOException, MachineException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(python.path().toString());
    command.addAll(List.of("-I", "-m", "venv"));
    command.addAll(options);
    command.add(directory.toString());
    run(command, line -> {});
  }

  /**
   * Runs a command until its end, which is that of this process at the latest.
   *
   * @param reader gets each line that the command prints
   */
  static void run(List<String> command, Consumer<String> reader)
      throws IOException, MachineException, InterruptedException {
    List<String> said = new ArrayList<>();
    int code = ChildProcess.run(command, reader.andThen(said::add));
    if (code != 0) {
      throw new MachineException(InstallationFailure.explain(said));
    }
  }
}
