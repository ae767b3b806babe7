package dev.assay.operator.output;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.digest.Sha256;
import dev.assay.api.v1alpha1.KindMapper;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The artifacts of one run in one file: their bytes one after the other, then their list as JSON,
 * then its length. The file gets its name when all of it is on disk, so that it is complete
 * wherever it is found.
 */
final class ArtifactFile {
  private static final int CHUNK_BYTES = 256 * 1024;
  private static final int MAX_LIST_BYTES = 1 << 20;
  private static final ObjectMapper JSON = KindMapper.create();

  private final Path file;
  private final Path temporary;
  private final Link link;

  /** Gives a file a second name, unless there is a file with that name. */
  interface Link {
    void create(Path name, Path existing) throws IOException;
  }

  /**
   * The file, which may be missing.
   *
   * @param temporary beside it, used by nobody else
   */
  ArtifactFile(Path file, Path temporary) {
    this(file, temporary, Files::createLink);
  }

  ArtifactFile(Path file, Path temporary, Link link) {
    this.file = file;
    this.temporary = temporary;
    this.link = link;
  }

  /** The list; empty if nothing is stored. */
  Optional<ArtifactList> list() throws IOException {
    try (FileChannel channel = FileChannel.open(file, READ)) {
      return Optional.of(list(channel));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Opens a part of an artifact; empty if it is not stored. */
  Optional<StoredArtifact> open(int number, long offset, long maxBytes) throws IOException {
    FileChannel channel;
    try {
      channel = FileChannel.open(file, READ);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    try {
      ArtifactList list = list(channel);
      if (!list.contains(number)) {
        channel.close();
        return Optional.empty();
      }
      long length = list.artifacts().get(number - 1).bytes();
      long from = Math.min(offset, length);
      long part = Math.min(maxBytes, length - from);
      InputStream content = new FilePart(channel, list.offset(number) + from, part);
      return Optional.of(new StoredArtifact(length, content));
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static ArtifactList list(FileChannel channel) throws IOException {
    long end = channel.size() - Long.BYTES;
    long length = end < 0 ? -1 : read(channel, end, Long.BYTES).getLong();
    if (length < 0 || length > Math.min(end, MAX_LIST_BYTES)) {
      throw new IOException("the artifacts in the store are damaged");
    }
    byte[] json = read(channel, end - length, (int) length).array();
    ArtifactList list;
    try {
      list = JSON.readValue(json, ArtifactList.class);
    } catch (JsonProcessingException e) {
      throw new IOException("the list of the artifacts in the store is malformed");
    }
    if (list.bytes() != end - length) {
      throw new IOException("the artifacts in the store are not as long as their list says");
    }
    return list;
  }

  private static ByteBuffer read(FileChannel channel, long offset, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, offset + bytes.position()) < 0) {
        throw new EOFException("the artifacts in the store end early");
      }
    }
    return bytes.flip();
  }

  /** Begins to write the file. */
  ArtifactWriter write() throws IOException {
    return new Writer(FileChannel.open(temporary, CREATE, TRUNCATE_EXISTING, WRITE));
  }

  /**
   * Gives the file its name, unless another process has stored the artifacts: a move would replace
   * them.
   */
  private void publish() throws IOException {
    try {
      link.create(file, temporary);
    } catch (FileAlreadyExistsException e) {
      // What was stored first stays.
    } catch (FileSystemException | UnsupportedOperationException e) {
      // Not every file system has links.
      if (!Files.exists(file)) {
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  private final class Writer implements ArtifactWriter {
    private final FileChannel channel;
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private final List<ArtifactList.Entry> added = new ArrayList<>();
    private long end;

    Writer(FileChannel channel) {
      this.channel = channel;
    }

    @Override
    public void add(String path, long bytes, InputStream content) throws IOException {
      channel.position(end);
      MessageDigest digest = Sha256.digest();
      long left = bytes;
      while (left > 0) {
        int count = content.read(chunk, 0, (int) Math.min(chunk.length, left));
        if (count < 0) {
          throw new EOFException("an artifact ended " + left + " bytes early");
        }
        digest.update(chunk, 0, count);
        DurableFiles.writeFully(channel, ByteBuffer.wrap(chunk, 0, count));
        left -= count;
      }
      end += bytes;
      added.add(new ArtifactList.Entry(path, bytes, HexFormat.of().formatHex(digest.digest())));
    }

    @Override
    public ArtifactList finish(@Nullable String message) throws IOException {
      ArtifactList list = new ArtifactList(List.copyOf(added), message);
      byte[] json = JSON.writeValueAsBytes(list);
      channel.truncate(end);
      channel.position(end);
      DurableFiles.writeFully(
          channel,
          ByteBuffer.allocate(json.length + Long.BYTES).put(json).putLong(json.length).flip());
      channel.force(true);
      publish();
      DurableFiles.sync(requireNonNull(file.getParent()));
      return list().orElseThrow(() -> new IOException("the artifacts were deleted meanwhile"));
    }

    @Override
    public void close() throws IOException {
      channel.close();
      Files.deleteIfExists(temporary);
    }
  }
}
