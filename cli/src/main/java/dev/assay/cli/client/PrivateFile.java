package dev.assay.cli.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Files that only their owner may read, such as those that hold credentials. */
public final class PrivateFile {
  private static final Set<PosixFilePermission> OWNER =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private PrivateFile() {}

  /** A directory that only its owner may enter; one that is there stays as it is. */
  public static Path createDirectories(Path directory) throws IOException {
    return Files.createDirectories(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  /** Whether nobody but its owner may do anything with a file or directory. */
  public static boolean isOfOwnerOnly(Path file) throws IOException {
    return EnumSet.range(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_EXECUTE)
        .containsAll(Files.getPosixFilePermissions(file));
  }

  /** Writes a file with mode 0600, as a whole or not at all. */
  public static Path write(Path file, String text) throws IOException {
    Path directory = file.toAbsolutePath().resolveSibling("");
    // Temporary files have this mode from the beginning.
    Path unfinished = Files.createTempFile(directory, file.getFileName().toString(), ".new");
    try {
      Files.writeString(unfinished, text);
      return Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  /**
   * Reads a file that only its owner may read.
   *
   * @throws IOException where it cannot be read, or others may read or change it; the message says
   *     how to mend that
   */
  public static String read(Path file) throws IOException {
    if (!OWNER.containsAll(Files.getPosixFilePermissions(file))) {
      throw new IOException(
          file + " is open to other users: chmod 600 it, and replace the key if they may know it");
    }
    return Files.readString(file);
  }
}
