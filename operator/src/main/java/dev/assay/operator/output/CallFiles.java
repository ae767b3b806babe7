package dev.assay.operator.output;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/** The calls of one run: a directory with the log, and a file for each outcome. */
final class CallFiles {
  private static final String LOG = "log.ndjson";

  private final Path directory;
  private final String temporary;

  /**
   * Creates nothing yet.
   *
   * @param directory of the run
   * @param temporary how names of this process's temporary files end
   */
  CallFiles(Path directory, String temporary) {
    this.directory = directory;
    this.temporary = temporary;
  }

  long append(byte[] lines, boolean durable) throws IOException {
    try (FileChannel log = FileChannel.open(directory.resolve(LOG), WRITE, APPEND)) {
      return append(log, lines, durable);
    } catch (NoSuchFileException e) {
      createDirectory();
    }
    long length;
    try (FileChannel log = FileChannel.open(directory.resolve(LOG), CREATE, WRITE, APPEND)) {
      length = append(log, lines, durable);
    }
    DurableFiles.sync(directory);
    return length;
  }

  private static long append(FileChannel log, byte[] lines, boolean durable) throws IOException {
    DurableFiles.writeFully(log, ByteBuffer.wrap(lines));
    long length = log.size();
    if (durable) {
      log.force(false);
    }
    return length;
  }

  private void createDirectory() throws IOException {
    DurableFiles.createDirectory(requireNonNull(directory.getParent()), directory);
  }

  InputStream open(long offset) throws IOException {
    try {
      FileChannel log = FileChannel.open(directory.resolve(LOG), READ);
      try {
        return Channels.newInputStream(log.position(offset));
      } catch (IOException | RuntimeException e) {
        log.close();
        throw e;
      }
    } catch (NoSuchFileException e) {
      return InputStream.nullInputStream();
    }
  }

  void putOutcome(int call, byte[] outcome) throws IOException {
    Path written = directory.resolve(call + temporary);
    try {
      write(written, outcome);
    } catch (NoSuchFileException e) {
      createDirectory();
      write(written, outcome);
    }
    Files.move(written, outcomeFile(call), StandardCopyOption.ATOMIC_MOVE);
  }

  private static void write(Path file, byte[] outcome) throws IOException {
    // In place of what an attempt that failed has left.
    try (FileChannel channel = FileChannel.open(file, CREATE, TRUNCATE_EXISTING, WRITE)) {
      DurableFiles.writeFully(channel, ByteBuffer.wrap(outcome));
    }
  }

  Optional<InputStream> outcome(int call) throws IOException {
    try {
      return Optional.of(Files.newInputStream(outcomeFile(call)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  void deleteOutcome(int call) throws IOException {
    Files.deleteIfExists(outcomeFile(call));
  }

  private Path outcomeFile(int call) {
    return directory.resolve(call + ".json");
  }

  /** How many bytes there are. */
  static long bytes(Path directory) throws IOException {
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        bytes += size(file);
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      // It was deleted since.
    }
    return bytes;
  }

  private static long size(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  void delete() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException e) {
      return;
    }
    Files.deleteIfExists(directory);
  }
}
