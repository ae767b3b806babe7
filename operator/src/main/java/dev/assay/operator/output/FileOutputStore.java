package dev.assay.operator.output;

import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One file a run, in one directory a namespace. */
public final class FileOutputStore implements OutputStore {
  /** A namespace or a UID, and nothing that could lead out of the directory. */
  private static final Pattern SAFE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,62}[a-z0-9])?");

  private final Path root;
  private final OutputStoreConfig limits;

  /** Outputs that are still being written; they never make room for others. */
  private final Set<Path> incomplete = ConcurrentHashMap.newKeySet();

  /**
   * Opens the store.
   *
   * @throws IOException where the directory cannot be made or written
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
    boolean first = !Files.exists(file);
    if (first) {
      Files.createDirectories(root.resolve(namespace));
    }
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      if (offset > channel.size()) {
        throw new IOException("a gap: " + channel.size() + " bytes are stored, not " + offset);
      }
      ByteBuffer buffer = ByteBuffer.wrap(data);
      channel.position(offset);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
    if (first) {
      prune(root.resolve(namespace));
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

  /** Removes the oldest outputs while a namespace has more than it may. */
  private void prune(Path directory) throws IOException {
    List<Path> oldestFirst;
    try (Stream<Path> files = Files.list(directory)) {
      oldestFirst = files.sorted(Comparator.comparing(FileOutputStore::lastModified)).toList();
    }
    long bytes = oldestFirst.stream().mapToLong(FileOutputStore::sizeOf).sum();
    int runs = oldestFirst.size();
    for (Path file : oldestFirst) {
      if (runs <= limits.maxRunsPerNamespace() && bytes <= limits.maxBytesPerNamespace()) {
        return;
      }
      if (incomplete.contains(file)) {
        continue;
      }
      bytes -= sizeOf(file);
      runs--;
      Files.deleteIfExists(file);
    }
  }

  private Path file(String namespace, String runUid) {
    if (!SAFE.matcher(namespace).matches() || !SAFE.matcher(runUid).matches()) {
      throw new IllegalArgumentException("Not a namespace and a UID");
    }
    return root.resolve(namespace).resolve(runUid);
  }

  private static FileTime lastModified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (NoSuchFileException e) {
      return FileTime.fromMillis(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long sizeOf(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
