package dev.assay.operator.output;

import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One file per run, in one directory per namespace. */
public final class FileOutputStore implements OutputStore {
  /** A namespace or a UID, which cannot escape the directory. */
  private static final Pattern SAFE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,62}[a-z0-9])?");

  private final Path root;
  private final OutputStoreConfig limits;

  /** Outputs that are still being written; they are never pruned. */
  private final Set<Path> incomplete = ConcurrentHashMap.newKeySet();

  /** The namespaces that were written to since they were last pruned. */
  private final Set<String> notPruned = ConcurrentHashMap.newKeySet();

  private final Set<String> prunedOnce = ConcurrentHashMap.newKeySet();

  /**
   * Opens the store.
   *
   * @throws IOException if the directory cannot be created or written to
   */
  public FileOutputStore(OutputStoreConfig config) throws IOException {
    this.root = Path.of(config.directory());
    this.limits = config;
    Files.createDirectories(root);
  }

  @Override
  public String location() {
    return root.toString();
  }

  @Override
  public void append(String namespace, String runUid, long offset, byte[] data) throws IOException {
    Path file = file(namespace, runUid);
    incomplete.add(file);
    notPruned.add(namespace);
    try (FileChannel channel = open(file)) {
      if (offset > channel.size()) {
        throw new IOException("a gap: " + channel.size() + " bytes are stored, not " + offset);
      }
      ByteBuffer buffer = ByteBuffer.wrap(data);
      channel.position(offset);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
  }

  private static FileChannel open(Path file) throws IOException {
    Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      return FileChannel.open(file, options);
    } catch (NoSuchFileException e) {
      Files.createDirectories(file.getParent());
      return FileChannel.open(file, options);
    }
  }

  @Override
  public void complete(String namespace, String runUid) {
    incomplete.remove(file(namespace, runUid));
  }

  @Override
  public long size(String namespace, String runUid) throws IOException {
    try {
      return Files.size(file(namespace, runUid));
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  @Override
  public Optional<InputStream> read(String namespace, String runUid, long offset)
      throws IOException {
    try {
      SeekableByteChannel channel = Files.newByteChannel(file(namespace, runUid));
      channel.position(offset);
      return Optional.of(Channels.newInputStream(channel));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public void delete(String namespace, String runUid) throws IOException {
    complete(namespace, runUid);
    Files.deleteIfExists(file(namespace, runUid));
  }

  @Override
  public Set<String> storedRuns(String namespace) throws IOException {
    try (Stream<Path> files = Files.list(directory(namespace))) {
      return files
          .filter(file -> !incomplete.contains(file))
          .map(file -> file.getFileName().toString())
          // Others may be there too, such as .nfs… of a file that was removed while it was read.
          .filter(name -> SAFE.matcher(name).matches())
          .collect(Collectors.toSet());
    } catch (NoSuchFileException e) {
      return Set.of();
    }
  }

  @Override
  public void prune(String namespace) throws IOException {
    Path directory = directory(namespace);
    boolean first = prunedOnce.add(namespace);
    if (!notPruned.remove(namespace) && !first) {
      return;
    }
    List<StoredFile> oldestFirst = files(directory);
    oldestFirst.sort(Comparator.comparing(StoredFile::modified));
    long bytes = oldestFirst.stream().mapToLong(StoredFile::bytes).sum();
    int runs = oldestFirst.size();
    for (StoredFile file : oldestFirst) {
      if (runs <= limits.maxRunsPerNamespace() && bytes <= limits.maxBytesPerNamespace()) {
        return;
      }
      if (incomplete.contains(file.path())) {
        continue;
      }
      bytes -= file.bytes();
      runs--;
      Files.deleteIfExists(file.path());
    }
  }

  /** A file with its attributes, which are read once because they may change. */
  private record StoredFile(Path path, long bytes, FileTime modified) {}

  private static List<StoredFile> files(Path directory) throws IOException {
    List<StoredFile> found = new ArrayList<>();
    if (!Files.isDirectory(directory)) {
      return found;
    }
    Files.walkFileTree(
        directory,
        Set.of(),
        1,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            found.add(new StoredFile(file, attributes.size(), attributes.lastModifiedTime()));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              // It was deleted since the directory was listed.
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }
        });
    return found;
  }

  private Path directory(String namespace) {
    if (!SAFE.matcher(namespace).matches()) {
      throw new IllegalArgumentException("Not a namespace");
    }
    return root.resolve(namespace);
  }

  private Path file(String namespace, String runUid) {
    if (!SAFE.matcher(runUid).matches()) {
      throw new IllegalArgumentException("Not a UID");
    }
    return directory(namespace).resolve(runUid);
  }
}
