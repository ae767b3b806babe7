package dev.assay.cli.python;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The package {@code assay_runner} and the library of code mode, which this program carries.
 *
 * <p>The library is where the runner looks for it, below the prefix of its Python.
 */
final class RunnerSources {
  /** Where the packages are below the prefix of Python. */
  static final String PACKAGES = "src";

  static final String LIBRARY = "share/assay/library";

  private static final Map<String, String> ROOTS =
      Map.of(
          "src/assay_runner", PACKAGES + "/assay_runner",
          "library/src/orchestrator", LIBRARY + "/orchestrator");

  private final SortedMap<String, byte[]> files;

  private RunnerSources(SortedMap<String, byte[]> files) {
    this.files = files;
  }

  /** Reads them from the jar, or from the folder of classes. */
  static RunnerSources read() throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>();
    for (Map.Entry<String, String> root : ROOTS.entrySet()) {
      read(root.getKey()).forEach((name, file) -> files.put(root.getValue() + "/" + name, file));
    }
    return new RunnerSources(files);
  }

  private static Map<String, byte[]> read(String name) throws IOException {
    URL root = RunnerSources.class.getResource(name);
    if (root == null) {
      throw new IOException("the program was built without " + name);
    }
    try {
      URI uri = root.toURI();
      if (!"jar".equals(uri.getScheme())) {
        return below(Path.of(uri));
      }
      try (FileSystem jar = FileSystems.newFileSystem(uri, Map.of())) {
        return below(jar.provider().getPath(uri));
      }
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  private static Map<String, byte[]> below(Path root) throws IOException {
    List<Path> paths;
    try (Stream<Path> walked = Files.walk(root)) {
      paths = walked.filter(path -> path.toString().endsWith(".py")).toList();
    }
    SortedMap<String, byte[]> files = new TreeMap<>();
    for (Path path : paths) {
      files.put(root.relativize(path).toString(), Files.readAllBytes(path));
    }
    return files;
  }

  /** Of all names and contents. */
  String digest() {
    Digest digest = new Digest();
    files.forEach((name, content) -> digest.add(name.getBytes(UTF_8)).add(content));
    return digest.text();
  }

  /** Writes all below the prefix of a Python. */
  void copyTo(Path prefix) throws IOException {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path target = prefix.resolve(file.getKey());
      Files.createDirectories(target.getParent());
      Files.write(target, file.getValue());
    }
  }
}
