package dev.assay.jvm.layout;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.Attributes.Name;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * One jar of the classes of others: the JVM opens one file, and archives the classes of jars only.
 */
final class MergedJar {
  private final Set<String> written = new HashSet<>();
  private final JarOutputStream output;

  private MergedJar(JarOutputStream output) {
    this.output = output;
  }

  /**
   * Writes a jar.
   *
   * @param sources jars, or directories of classes
   */
  static void write(Path target, String mainClass, List<Path> sources) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Name.MANIFEST_VERSION, "1.0");
    attributes.put(Name.MAIN_CLASS, mainClass);
    attributes.put(Name.MULTI_RELEASE, "true");
    // As an option of the command line it would make the archive of classes unusable.
    attributes.putValue("Enable-Native-Access", "ALL-UNNAMED");
    try (JarOutputStream output = new JarOutputStream(Files.newOutputStream(target))) {
      // The stream's own entry of the manifest would have the present time.
      output.putNextEntry(entry(JarFile.MANIFEST_NAME));
      manifest.write(output);
      output.closeEntry();
      MergedJar jar = new MergedJar(output);
      for (Path source : sources) {
        jar.add(source);
      }
    }
  }

  private void add(Path source) throws IOException {
    if (Files.isDirectory(source)) {
      addTree(source, source.getFileName().toString());
      return;
    }
    try (FileSystem jar = FileSystems.newFileSystem(source)) {
      addTree(jar.getPath("/"), source.getFileName().toString());
    }
  }

  private void addTree(Path root, String source) throws IOException {
    List<Path> files;
    try (Stream<Path> walked = Files.walk(root)) {
      files = walked.filter(Files::isRegularFile).sorted().toList();
    }
    for (Path file : files) {
      String name = entryName(root.relativize(file).toString(), source);
      if (!name.isEmpty() && written.add(name)) {
        output.putNextEntry(entry(name));
        try (InputStream content = Files.newInputStream(file)) {
          content.transferTo(output);
        }
        output.closeEntry();
      }
    }
  }

  private static ZipEntry entry(String name) {
    ZipEntry entry = new ZipEntry(name);
    entry.setTime(0);
    return entry;
  }

  /** The name in the jar; empty for what does not belong there. */
  private static String entryName(String name, String source) {
    boolean isNative = NativeLibrary.isName(name);
    if (isNative || name.endsWith("module-info.class") || name.startsWith("META-INF/maven/")) {
      return "";
    }
    if (name.equals(JarFile.MANIFEST_NAME)) {
      return "";
    }
    boolean isLicense = name.startsWith("META-INF/") && name.indexOf('/', 9) < 0;
    return isLicense ? "META-INF/" + source + "/" + name.substring(9) : name;
  }
}
