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

/** The package {@code assay_runner}, which this program carries. */
final class RunnerSources {
  private static final String ROOT = "src/assay_runner";

  private final SortedMap<String, byte[]> files;

  private RunnerSources(SortedMap<String, byte[]> files) {
    this.files = files;
  }

  /** Reads them from the jar, or from the folder of classes. */
  static RunnerSources read() throws IOException {
    URL root = RunnerSources.class.getResource(ROOT);
    if (root == null) {
      throw new IOException("the program was built without " + ROOT);
    }
    try {
      URI uri = root.toURI();
      if (!"jar".equals(uri.getScheme())) {
        return new RunnerSources(below(Path.of(uri)));
      }
      try (FileSystem jar = FileSystems.newFileSystem(uri, Map.of())) {
        return new RunnerSources(below(jar.provider().getPath(uri)));
      }
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }

  private static SortedMap<String, byte[]> below(Path root) throws IOException {
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

  /** Writes the package into a directory. */
  void copyTo(Path directory) throws IOException {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path target = directory.resolve("assay_runner").resolve(file.getKey());
      Files.createDirectories(target.getParent());
      Files.write(target, file.getValue());
    }
  }
}
