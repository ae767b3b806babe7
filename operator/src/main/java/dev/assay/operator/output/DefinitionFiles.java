package dev.assay.operator.output;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** The definitions of the tools of one namespace: a directory with a file for each. */
final class DefinitionFiles {
  private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
  private static final String JSON = ".json";
  private static final AtomicLong WRITES = new AtomicLong();

  private final Path directory;
  private final String temporary;

  /**
   * Creates nothing yet.
   *
   * @param directory of the definitions
   * @param temporary how names of this process's temporary files end
   */
  DefinitionFiles(Path directory, String temporary) {
    this.directory = directory;
    this.temporary = temporary;
  }

  /** Stores those that are not stored, if all of them are within the limit. */
  void put(Map<String, byte[]> definitions, DefinitionLimit limit) throws IOException {
    Map<String, byte[]> missing = new HashMap<>(definitions);
    missing.keySet().removeIf(digest -> Files.exists(file(digest)));
    if (missing.isEmpty()) {
      return;
    }
    long counted = 0;
    for (byte[] definition : missing.values()) {
      counted += DefinitionLimit.counted(definition.length);
    }
    limit.check(counted + counted());
    if (!Files.isDirectory(directory)) {
      DurableFiles.createDirectory(requireNonNull(directory.getParent()), directory);
    }
    for (Map.Entry<String, byte[]> definition : missing.entrySet()) {
      String digest = definition.getKey();
      // Two processes may store the same ones at the same time.
      String written = digest + "." + WRITES.incrementAndGet() + temporary;
      DurableFiles.replace(directory, digest + JSON, written, definition.getValue());
    }
  }

  private long counted() throws IOException {
    long counted = 0;
    for (String digest : digests()) {
      try {
        counted += DefinitionLimit.counted(Files.size(file(digest)));
      } catch (NoSuchFileException e) {
        // It was deleted since the directory was listed.
      }
    }
    return counted;
  }

  Optional<byte[]> read(String digest) throws IOException {
    try {
      return Optional.of(Files.readAllBytes(file(digest)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  Set<String> digests() throws IOException {
    Set<String> found = new HashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + JSON)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        String digest = name.substring(0, name.length() - JSON.length());
        if (DIGEST.matcher(digest).matches()) {
          found.add(digest);
        }
      }
    } catch (NoSuchFileException e) {
      return Set.of();
    }
    return found;
  }

  void delete(String digest) throws IOException {
    Files.deleteIfExists(file(digest));
  }

  private Path file(String digest) {
    if (!DIGEST.matcher(digest).matches()) {
      throw new IllegalArgumentException("Not a digest");
    }
    return directory.resolve(digest + JSON);
  }
}
