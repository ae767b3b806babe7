package dev.assay.jvm.layout;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;

/** The engine's library, which the driver would unpack at each start. */
final class NativeLibrary {
  /** The beginning of its name in the driver's jar; the system and the processor follow. */
  static final String NAME_IN_JAR = "libduckdb_java.so";

  private NativeLibrary() {}

  /** Writes it into a directory, without its symbols if this machine has a program for that. */
  static void extract(ClassLoader driver, Path directory) throws IOException, InterruptedException {
    Path target = directory.resolve(System.mapLibraryName("duckdb_java"));
    String name = NAME_IN_JAR + "_" + system() + "_" + processor();
    try (InputStream content = driver.getResourceAsStream(name)) {
      if (content == null) {
        throw new IOException("DuckDB has no library for " + system() + " on " + processor());
      }
      Files.copy(content, target, StandardCopyOption.REPLACE_EXISTING);
    }
    strip(target);
  }

  private static String system() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return name.contains("mac") ? "macos" : "linux";
  }

  private static String processor() {
    String name = System.getProperty("os.arch");
    return name.equals("x86_64") ? "amd64" : name.equals("aarch64") ? "arm64" : name;
  }

  private static void strip(Path library) throws InterruptedException {
    Path stripped = library.resolveSibling("stripped");
    try {
      Process process =
          new ProcessBuilder(
                  List.of(
                      "strip", "--strip-unneeded", "-o", stripped.toString(), library.toString()))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (process.waitFor() == 0) {
        Files.move(stripped, library, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      // It is larger then, and works as well.
    }
  }
}
