package dev.assay.jvm.layout;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.duckdb.DuckDBDriver;
import tools.jackson.core.json.JsonFactory;

/** Makes the directory that the worker is started from, of the classes that this program has. */
public final class RunnerLayout {
  private static final String MAIN_CLASS = "dev.assay.jvm.WorkerMain";

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
   * Makes the layout for this machine, with an archive of loaded classes.
   *
   * @param java the program to start it with; the same is used to make the archive
   */
  public static void createFor(Path directory, Path java) throws IOException, InterruptedException {
    create(directory, java.toString());
    Process training =
        new ProcessBuilder(
                java.toString(),
                "-XX:AOTCacheOutput=" + directory.resolve("worker.aot"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-Djava.library.path=" + directory.resolve("native"),
                "-cp",
                directory.resolve("worker.jar").toString(),
                "dev.assay.jvm.TrainingMain")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    // Without the archive it starts more slowly.
    int unused = training.waitFor();
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

  private static List<Path> sources() {
    return List.of(
        sourceOf(RunnerLayout.class), sourceOf(JsonFactory.class), sourceOf(DuckDBDriver.class));
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
