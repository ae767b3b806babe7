package dev.assay.jvm.layout;

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

/** Makes the directory that the worker is started from, of the classes that this program has. */
public final class RunnerLayout {
  private static final String MAIN_CLASS = "dev.assay.jvm.WorkerMain";

  private static final String MODULES = "java.base,java.logging,java.sql,jdk.unsupported";

  /** Below the directory; an image has a JVM there. */
  private static final String OWN_JAVA = "$directory/jre/bin/java";

  private static final String START =
      """
      #!/bin/sh
      # Starts the worker; its standard input is the control socket.
      directory=${0%/*}
      exec "JAVA" -XX:AOTCache="$directory/worker.aot" -Xlog:disable -XX:+UseSerialGC \\
        -XX:TieredStopAtLevel=1 -Xmx256m -XX:-UsePerfData \\
        -Djava.library.path="$directory/native" -jar "$directory/worker.jar"
      """;

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
   * Makes the layout for this machine: with a JVM of its own where the JDK can link one, and with
   * an archive of loaded classes.
   *
   * @param javaHome the JDK, which is used itself otherwise
   */
  public static void createFor(Path directory, Path javaHome)
      throws IOException, InterruptedException {
    Path own = directory.resolve("jre");
    Path bin = javaHome.resolve("bin");
    // The engine's driver prepares the flight recorder where there is one: half of its start.
    boolean linked =
        succeeds(
            bin.resolve("jlink").toString(),
            "--add-modules=" + MODULES,
            "--strip-debug",
            "--no-man-pages",
            "--no-header-files",
            "--output=" + own);
    create(directory, linked ? OWN_JAVA : bin.resolve("java").toString());
    // Without the archive it starts more slowly.
    boolean unused =
        succeeds(
            (linked ? own.resolve("bin") : bin).resolve("java").toString(),
            "-XX:AOTCacheOutput=" + directory.resolve("worker.aot"),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx256m",
            "-Djava.library.path=" + directory.resolve("native"),
            "-cp",
            directory.resolve("worker.jar").toString(),
            "dev.assay.jvm.TrainingMain");
  }

  private static boolean succeeds(String... command) throws InterruptedException {
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
    StringBuilder identity = new StringBuilder(START);
    for (Path source : sources()) {
      try (Stream<Path> files = Files.walk(source)) {
        for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
          identity
              .append(file)
              .append(Files.size(file))
              .append(Files.getLastModifiedTime(file).toMillis());
        }
      }
    }
    return identity.toString();
  }

  /** Our classes and the libraries that they use. */
  static List<Path> sources() {
    return List.of(
        sourceOf(RunnerLayout.class),
        sourceOf(JsonFactory.class),
        sourceOf(DuckDBDriver.class),
        sourceOf(Workbook.class),
        sourceOf(OpcOutputStream.class));
  }

  private static void create(Path directory, String java) throws IOException, InterruptedException {
    Path library = Files.createDirectories(directory.resolve("native"));
    MergedJar.write(directory.resolve("worker.jar"), MAIN_CLASS, sources());
    NativeLibrary.extract(DuckDBDriver.class.getClassLoader(), library);
    Path start = Files.writeString(directory.resolve("start"), START.replace("JAVA", java));
    Files.setPosixFilePermissions(start, PosixFilePermissions.fromString("rwxr-xr-x"));
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
