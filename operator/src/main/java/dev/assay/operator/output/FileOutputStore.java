package dev.assay.operator.output;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * One directory per namespace. In it, each run has a file that its parts are appended to, one with
 * its manifest, one with its value, and one with all of its artifacts; its calls of tools are in a
 * directory. Another directory has the definitions of the namespace's tools.
 */
public final class FileOutputStore implements OutputStore {
  /** A namespace or a UID, which cannot escape the directory. */
  static final Pattern SAFE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,62}[a-z0-9])?");

  static final String MANIFEST = ".manifest.json";
  static final String VALUE = ".value.json";
  static final String ARTIFACTS = ".files";
  static final String CALLS = ".calls";
  private static final String DEFINITIONS = ".definitions";
  static final String TEMPORARY = ".tmp";

  private final Path root;
  private final DefinitionLimit definitionLimit;

  /** One of each namespace, whose definitions are counted and stored by one thread at a time. */
  private final Map<String, Object> definitionLocks = new ConcurrentHashMap<>();

  /** In the names of temporary files, because two operators may write the same manifest. */
  private final String process = UUID.randomUUID().toString();

  /**
   * Opens the store.
   *
   * @throws IOException if the directory cannot be created
   */
  public FileOutputStore(Path directory) throws IOException {
    this(directory, DefinitionLimit.DEFAULT);
  }

  FileOutputStore(Path directory, DefinitionLimit definitionLimit) throws IOException {
    this.root = directory;
    this.definitionLimit = definitionLimit;
    Files.createDirectories(root);
  }

  @Override
  public String location() {
    return root.toString();
  }

  @Override
  public void append(String namespace, String runUid, long offset, byte[] data) throws IOException {
    try (FileChannel channel = open(namespace, runUid, offset)) {
      long size = channel.size();
      if (offset > size) {
        throw gap(offset, size);
      }
      int stored = (int) Math.min(data.length, size - offset);
      if (!Arrays.equals(read(channel, offset, stored), 0, stored, data, 0, stored)) {
        throw new OutputConflictException(
            "output at byte " + offset + " differs from what was stored there");
      }
      channel.position(offset + stored);
      DurableFiles.writeFully(channel, ByteBuffer.wrap(data, stored, data.length - stored));
    }
  }

  private FileChannel open(String namespace, String runUid, long offset) throws IOException {
    Path file = file(namespace, runUid);
    if (offset > 0) {
      try {
        return FileChannel.open(file, READ, WRITE);
      } catch (NoSuchFileException e) {
        throw gap(offset, 0);
      }
    }
    try {
      return FileChannel.open(file, CREATE, READ, WRITE);
    } catch (NoSuchFileException e) {
      DurableFiles.createDirectory(root, directory(namespace));
      return FileChannel.open(file, CREATE, READ, WRITE);
    }
  }

  private static IOException gap(long offset, long size) {
    return new IOException(
        "a gap in the output: " + size + " bytes are stored, and the next part is at " + offset);
  }

  private static byte[] read(FileChannel channel, long offset, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) >= 0) {
      // Reads may be short.
    }
    return bytes.array();
  }

  @Override
  public void finish(String namespace, String runUid, OutputManifest manifest) throws IOException {
    try (FileChannel channel = FileChannel.open(file(namespace, runUid), WRITE)) {
      long size = channel.size();
      if (size > manifest.length()) {
        throw new OutputConflictException(stored(size, manifest));
      }
      if (size < manifest.length()) {
        throw new IOException(stored(size, manifest));
      }
      channel.force(true);
    }
    Optional<OutputManifest> before = manifest(namespace, runUid);
    if (before.isEmpty()) {
      DurableFiles.replace(
          directory(namespace), runUid + MANIFEST, runUid + temporary(), manifest.toJson());
    } else if (!before.get().isOfSameOutput(manifest)) {
      throw new OutputConflictException("the output was finished with other bytes");
    }
  }

  private static String stored(long size, OutputManifest manifest) {
    return size + " bytes of output are stored instead of " + manifest.length();
  }

  /** Empty also for a manifest that is malformed, which is replaced. */
  @Override
  public Optional<OutputManifest> manifest(String namespace, String runUid) throws IOException {
    try {
      return OutputManifest.parse(Files.readAllBytes(manifestFile(namespace, runUid)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
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
  public void putValue(String namespace, String runUid, byte[] value) throws IOException {
    Optional<byte[]> before = value(namespace, runUid);
    if (before.isPresent()) {
      if (!Arrays.equals(before.get(), value)) {
        throw new OutputConflictException("another value was stored");
      }
      return;
    }
    if (!Files.isDirectory(directory(namespace))) {
      DurableFiles.createDirectory(root, directory(namespace));
    }
    DurableFiles.replace(directory(namespace), runUid + VALUE, runUid + VALUE + temporary(), value);
  }

  @Override
  public Optional<byte[]> value(String namespace, String runUid) throws IOException {
    try {
      return Optional.of(Files.readAllBytes(valueFile(namespace, runUid)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public void deleteValue(String namespace, String runUid) throws IOException {
    Files.deleteIfExists(valueFile(namespace, runUid));
  }

  @Override
  public ArtifactWriter writeArtifacts(String namespace, String runUid) throws IOException {
    if (!Files.isDirectory(directory(namespace))) {
      DurableFiles.createDirectory(root, directory(namespace));
    }
    return artifactFile(namespace, runUid).write();
  }

  @Override
  public Optional<ArtifactList> artifacts(String namespace, String runUid) throws IOException {
    return artifactFile(namespace, runUid).list();
  }

  @Override
  public Optional<StoredArtifact> artifact(
      String namespace, String runUid, int number, long offset, long maxBytes) throws IOException {
    return artifactFile(namespace, runUid).open(number, offset, maxBytes);
  }

  @Override
  public long appendCalls(String namespace, String runUid, byte[] lines, boolean durable)
      throws IOException {
    return callFiles(namespace, runUid).append(lines, durable);
  }

  @Override
  public InputStream calls(String namespace, String runUid, long offset) throws IOException {
    return callFiles(namespace, runUid).open(offset);
  }

  @Override
  public void putOutcome(String namespace, String runUid, int call, byte[] outcome)
      throws IOException {
    callFiles(namespace, runUid).putOutcome(call, outcome);
  }

  @Override
  public Optional<InputStream> outcome(String namespace, String runUid, int call)
      throws IOException {
    return callFiles(namespace, runUid).outcome(call);
  }

  @Override
  public void deleteOutcome(String namespace, String runUid, int call) throws IOException {
    callFiles(namespace, runUid).deleteOutcome(call);
  }

  @Override
  public void putDefinitions(String namespace, Map<String, byte[]> definitions) throws IOException {
    DefinitionFiles files = definitionFiles(namespace);
    synchronized (definitionLocks.computeIfAbsent(namespace, key -> new Object())) {
      files.put(definitions, definitionLimit);
    }
  }

  @Override
  public Optional<byte[]> definition(String namespace, String digest) throws IOException {
    return definitionFiles(namespace).read(digest);
  }

  @Override
  public Set<String> definitions(String namespace) throws IOException {
    return definitionFiles(namespace).digests();
  }

  @Override
  public void deleteDefinition(String namespace, String digest) throws IOException {
    definitionFiles(namespace).delete(digest);
  }

  @Override
  public OutputSpace space() throws IOException {
    FileStore volume = Files.getFileStore(root);
    return new OutputSpace(volume.getUsableSpace(), volume.getTotalSpace());
  }

  @Override
  public List<OutputEntry> list(String namespace) throws IOException {
    return OutputDirectory.list(directory(namespace), temporary());
  }

  @Override
  public void delete(String namespace, String runUid) throws IOException {
    // In this order: a manifest is never of output that is not there.
    Files.deleteIfExists(manifestFile(namespace, runUid));
    Files.deleteIfExists(valueFile(namespace, runUid));
    Files.deleteIfExists(artifactsFile(namespace, runUid));
    callFiles(namespace, runUid).delete();
    Files.deleteIfExists(file(namespace, runUid));
  }

  /** How names of this process's temporary files end. */
  private String temporary() {
    return "." + process + TEMPORARY;
  }

  private Path directory(String namespace) {
    if (!SAFE.matcher(namespace).matches()) {
      throw new IllegalArgumentException("Not a namespace");
    }
    return root.resolve(namespace);
  }

  private Path manifestFile(String namespace, String runUid) {
    return file(namespace, runUid).resolveSibling(runUid + MANIFEST);
  }

  private Path valueFile(String namespace, String runUid) {
    return file(namespace, runUid).resolveSibling(runUid + VALUE);
  }

  private ArtifactFile artifactFile(String namespace, String runUid) {
    Path file = artifactsFile(namespace, runUid);
    return new ArtifactFile(file, file.resolveSibling(runUid + ARTIFACTS + temporary()));
  }

  private CallFiles callFiles(String namespace, String runUid) {
    Path file = file(namespace, runUid);
    return new CallFiles(file.resolveSibling(runUid + CALLS), temporary());
  }

  private DefinitionFiles definitionFiles(String namespace) {
    return new DefinitionFiles(directory(namespace).resolve(DEFINITIONS), temporary());
  }

  private Path artifactsFile(String namespace, String runUid) {
    return file(namespace, runUid).resolveSibling(runUid + ARTIFACTS);
  }

  private Path file(String namespace, String runUid) {
    if (!SAFE.matcher(runUid).matches()) {
      throw new IllegalArgumentException("Not a UID");
    }
    return directory(namespace).resolve(runUid);
  }
}
