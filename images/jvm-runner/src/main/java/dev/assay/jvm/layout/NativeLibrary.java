package dev.assay.jvm.layout;

import com.caoccao.javet.enums.JSRuntimeType;
import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.interop.loader.JavetLibLoader;
import com.caoccao.javet.swc4j.Swc4jLibLoader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A library of the system, which the Java library that needs it would unpack at each start.
 *
 * @param resource its name in a jar
 * @param file the name by which it is loaded
 */
record NativeLibrary(String resource, String file) {
  private static final Pattern IN_JAR = Pattern.compile("lib[^/]+\\.(so|dylib|dll)([._].*)?");

  /** DuckDB. */
  static NativeLibrary duckDb() {
    return new NativeLibrary(
        "libduckdb_java.so_" + system() + "_" + processor(), System.mapLibraryName("duckdb_java"));
  }

  /** V8 and swc, whose names have their versions. */
  static List<NativeLibrary> ofScripts() {
    try {
      String v8 = new JavetLibLoader(JSRuntimeType.V8).getLibFileName();
      Field version = Swc4jLibLoader.class.getDeclaredField("LIB_VERSION");
      version.setAccessible(true);
      String swc = "libswc4j-linux-x86_64.v." + version.get(null) + ".so";
      return List.of(new NativeLibrary(v8, v8), new NativeLibrary(swc, swc));
    } catch (JavetException | ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether an entry of a jar is such a library. */
  static boolean isName(String entry) {
    return IN_JAR.matcher(entry).matches();
  }

  /** Whether a jar of the class path has it: there is none for some processors. */
  boolean isThere() {
    return loader().getResource(resource) != null;
  }

  /** Writes it into a directory, without its symbols if this machine has a program for that. */
  void extract(Path directory) throws IOException, InterruptedException {
    Path target = directory.resolve(file);
    try (InputStream content = loader().getResourceAsStream(resource)) {
      if (content == null) {
        throw new IOException("No jar has the library " + resource);
      }
      Files.copy(content, target, StandardCopyOption.REPLACE_EXISTING);
    }
    strip(target);
  }

  private static ClassLoader loader() {
    return NativeLibrary.class.getClassLoader();
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
