package dev.assay.jvm.layout;

import com.caoccao.javet.interop.V8Host;
import com.caoccao.javet.swc4j.Swc4j;
import com.github.rzymek.opczip.OpcOutputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.dhatim.fastexcel.Workbook;
import org.duckdb.DuckDBDriver;
import tools.jackson.core.json.JsonFactory;

/** Makes the directory that workers are started from, of the classes that this program has. */
public final class RunnerLayout {
  private static final String MODULES =
      "java.base,java.logging,java.management,java.sql,jdk.unsupported";

  /** Below the directory; an image has a JVM there. */
  private static final String OWN_HOME = "jre";

  private static final String OWN_JAVA = "$directory/" + OWN_HOME + "/bin/java";

  private RunnerLayout() {}

  /**
   * Makes the layout of an image: {@code RunnerLayout DIRECTORY}.
   *
   * @param arguments the directory
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    create(Path.of(arguments[0]), OWN_JAVA);
  }

  /**
   * Makes the layout for this machine, with a JVM of its own where the JDK can link one. The
   * archives of loaded classes are not made: {@link #missingArchives}.
   *
   * @param javaHome the JDK, which is used itself otherwise
   */
  public static void createFor(Path directory, Path javaHome)
      throws IOException, InterruptedException {
    Path bin = javaHome.resolve("bin");
    // The engine's driver prepares the flight recorder where there is one: half of its start.
    boolean linked =
        succeeds(
            List.of(
                bin.resolve("jlink").toString(),
                "--add-modules=" + MODULES,
                "--strip-debug",
                "--no-man-pages",
                "--no-header-files",
                "--output=" + directory.resolve(OWN_HOME)));
    create(directory, linked ? OWN_JAVA : bin.resolve("java").toString());
  }

  /**
   * How to make the archives of loaded classes that a layout for this machine lacks. Without them
   * its programs start more slowly.
   *
   * @param javaHome as it was given to {@link #createFor}
   */
  public static List<ArchiveTraining> missingArchives(Path directory, Path javaHome) {
    Path own = directory.resolve(OWN_HOME);
    Path java = (Files.exists(own) ? own : javaHome).resolve("bin").resolve("java");
    return programs().stream()
        .map(program -> program.training(java.toString(), directory))
        .filter(training -> !Files.exists(training.archive()))
        .toList();
  }

  /** Whether this machine can run scripts: there is no V8 for some processors. */
  public static boolean hasScripts() {
    return NativeLibrary.ofScripts().stream().allMatch(NativeLibrary::isThere);
  }

  private static boolean succeeds(List<String> command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Changes with whatever the layout is made of. */
  public static String identity() throws IOException {
    StringBuilder identity = new StringBuilder();
    for (WorkerProgram program : programs()) {
      identity.append(program.script(OWN_JAVA));
      for (Path source : program.sources()) {
        append(source, identity);
      }
    }
    return identity.toString();
  }

  private static void append(Path source, StringBuilder identity) throws IOException {
    try (Stream<Path> files = Files.walk(source)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        identity
            .append(file)
            .append(Files.size(file))
            .append(Files.getLastModifiedTime(file).toMillis());
      }
    }
  }

  /** The programs that this machine can run. */
  static List<WorkerProgram> programs() {
    return hasScripts() ? List.of(queries(), scripts()) : List.of(queries());
  }

  private static WorkerProgram queries() {
    return new WorkerProgram(
        "start",
        "worker.jar",
        "worker.aot",
        "dev.assay.jvm.WorkerMain",
        "dev.assay.jvm.TrainingMain",
        List.of("-Xmx256m"),
        List.of(
            sourceOf(RunnerLayout.class),
            sourceOf(JsonFactory.class),
            sourceOf(DuckDBDriver.class),
            sourceOf(Workbook.class),
            sourceOf(OpcOutputStream.class)));
  }

  /**
   * The program for scripts. SIGTERM ends it at once, wherever V8 is; what a crash of a library has
   * to say goes neither to the output of the script nor to a file.
   */
  private static WorkerProgram scripts() {
    return new WorkerProgram(
        "start-javascript",
        "javascript.jar",
        "javascript.aot",
        "dev.assay.jvm.javascript.JavaScriptMain",
        "dev.assay.jvm.javascript.TrainingMain",
        List.of(
            "-Xmx64m",
            "-Xrs",
            "-XX:+DisplayVMOutputToStderr",
            "-XX:+SuppressFatalErrorMessage",
            "-XX:-CreateCoredumpOnCrash"),
        List.of(
            sourceOf(RunnerLayout.class),
            sourceOf(JsonFactory.class),
            sourceOf(V8Host.class),
            sourceOf(Swc4j.class)));
  }

  private static void create(Path directory, String java) throws IOException, InterruptedException {
    Path libraries = Files.createDirectories(directory.resolve("native"));
    NativeLibrary.duckDb().extract(libraries);
    if (hasScripts()) {
      for (NativeLibrary library : NativeLibrary.ofScripts()) {
        library.extract(libraries);
      }
    }
    for (WorkerProgram program : programs()) {
      MergedJar.write(directory.resolve(program.jar()), program.mainClass(), program.sources());
      Path start = Files.writeString(directory.resolve(program.start()), program.script(java));
      Files.setPosixFilePermissions(start, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  /** The jar or the directory that a class is from. */
  private static Path sourceOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
