package dev.assay.operator.output;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.assay.api.digest.Sha256;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;

/** The artifacts of one run: a directory with a file for each, named by its number. */
final class ArtifactFiles {
  private static final int CHUNK_BYTES = 64 * 1024;

  private final Path namespace;
  private final Path directory;
  private final String temporary;

  /**
   * The artifacts in a directory, which may be missing.
   *
   * @param namespace the directory in which it is
   * @param name of the directory
   * @param temporary how names of this process's temporary files end
   */
  ArtifactFiles(Path namespace, String name, String temporary) {
    this.namespace = namespace;
    this.directory = namespace.resolve(name);
    this.temporary = temporary;
  }

  /**
   * Writes an artifact. After a crash of the machine all of it is there or nothing, until {@link
   * #sync} nobody knows which.
   */
  String put(int number, long bytes, InputStream content) throws IOException {
    Optional<StoredArtifact> before = open(number, 0);
    if (before.isPresent()) {
      return same(before.get(), bytes, content);
    }
    if (!Files.isDirectory(directory)) {
      DurableFiles.createDirectory(namespace, directory);
    }
    Path written = directory.resolve(number + temporary);
    try {
      String sha256 = write(written, bytes, content);
      Files.move(written, directory.resolve(name(number)), StandardCopyOption.ATOMIC_MOVE);
      return sha256;
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(written);
      throw e;
    }
  }

  /** Makes sure that what was written is there after a crash of the machine. */
  void sync() {
    DurableFiles.sync(directory);
  }

  private static String write(Path file, long bytes, InputStream content) throws IOException {
    MessageDigest digest = Sha256.digest();
    try (FileChannel channel = FileChannel.open(file, CREATE_NEW, WRITE)) {
      read(
          content,
          bytes,
          (chunk, count) -> {
            digest.update(chunk, 0, count);
            DurableFiles.writeFully(channel, ByteBuffer.wrap(chunk, 0, count));
          });
      channel.force(true);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static String same(StoredArtifact before, long bytes, InputStream content)
      throws IOException {
    try (InputStream stored = before.content()) {
      String sha256 = digest(content, bytes);
      if (before.length() != bytes || !sha256.equals(digest(stored, bytes))) {
        throw new OutputConflictException("another artifact was stored under the same number");
      }
      return sha256;
    }
  }

  /** The SHA-256 of what a stream contains, in hexadecimal. */
  static String digest(InputStream content, long bytes) throws IOException {
    MessageDigest digest = Sha256.digest();
    read(content, bytes, (chunk, count) -> digest.update(chunk, 0, count));
    return HexFormat.of().formatHex(digest.digest());
  }

  private interface Sink {
    void accept(byte[] chunk, int count) throws IOException;
  }

  private static void read(InputStream content, long bytes, Sink sink) throws IOException {
    byte[] chunk = new byte[(int) Math.min(CHUNK_BYTES, Math.max(1, bytes))];
    long left = bytes;
    while (left > 0) {
      int count = content.read(chunk, 0, (int) Math.min(chunk.length, left));
      if (count < 0) {
        throw new EOFException("an artifact ended " + left + " bytes early");
      }
      sink.accept(chunk, count);
      left -= count;
    }
  }

  /** Opens an artifact at an offset; empty if it is not stored. */
  Optional<StoredArtifact> open(int number, long offset) throws IOException {
    try {
      SeekableByteChannel channel = Files.newByteChannel(directory.resolve(name(number)));
      channel.position(offset);
      return Optional.of(new StoredArtifact(channel.size(), Channels.newInputStream(channel)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Deletes all; idempotent. */
  void delete() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return;
    }
    Files.deleteIfExists(directory);
  }

  private static String name(int number) {
    return Integer.toString(number);
  }
}
