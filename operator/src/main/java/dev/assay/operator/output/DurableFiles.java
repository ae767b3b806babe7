package dev.assay.operator.output;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes that survive a crash of the machine. */
final class DurableFiles {
  private static final Logger LOG = LoggerFactory.getLogger(DurableFiles.class);

  private DurableFiles() {}

  /** Creates a directory in another, unless it exists. */
  static void createDirectory(Path parent, Path directory) throws IOException {
    Files.createDirectories(directory);
    sync(parent);
  }

  /**
   * Writes a file so that a reader finds either all of it or what was there before.
   *
   * @param directory of both files
   * @param temporary the name of a file that is used by nobody else
   */
  static void replace(Path directory, String name, String temporary, byte[] bytes)
      throws IOException {
    Path written = directory.resolve(temporary);
    try {
      try (FileChannel channel = FileChannel.open(written, CREATE_NEW, WRITE)) {
        writeFully(channel, ByteBuffer.wrap(bytes));
        channel.force(true);
      }
      Files.move(written, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      deleteAfter(e, written);
      throw e;
    }
    sync(directory);
  }

  static void writeFully(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  /** Makes the entries of a directory durable where its file system can. */
  static void sync(Path directory) {
    try (FileChannel channel = FileChannel.open(directory, READ)) {
      channel.force(true);
    } catch (IOException e) {
      LOG.debug("Directory {} cannot be synchronized: {}", directory, e.toString());
    }
  }

  private static void deleteAfter(IOException failure, Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }
}
