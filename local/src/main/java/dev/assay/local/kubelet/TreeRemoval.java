package dev.assay.local.kubelet;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Removes a directory with all that is in it. What user code has left may be so deep that no path
 * leads there, and that nobody may open all of its directories at once: directories below a limit
 * are moved to the top, which is emptied until nothing is left. There may be any number of them, so
 * none is remembered; and a full disk may have no room for another name, so no other is moved.
 */
final class TreeRemoval {
  private static final int MAX_DEPTH = 64;

  /** A character has up to 3 bytes, and a path up to 4,095, of which a name takes up to 255. */
  private static final int MAX_PATH_LENGTH = 1000;

  private final Path top;

  /** An earlier removal that failed may have left directories with other names. */
  private final String prefix = ".removed-" + UUID.randomUUID() + "-";

  private long deleted;
  private long moved;
  private @Nullable IOException failure;

  TreeRemoval(Path top) {
    this.top = top;
  }

  /**
   * Removes a directory.
   *
   * @param top a directory in which nobody else creates anything
   * @throws NoSuchFileException if it does not exist
   * @throws IOException if something in it cannot be removed; the rest is
   */
  static void remove(Path top) throws IOException {
    new TreeRemoval(top).run();
  }

  void run() throws IOException {
    boolean hasMore = true;
    while (hasMore) {
      hasMore = emptyTop();
    }
    Files.delete(top);
  }

  /** How many directories were moved. */
  long moved() {
    return moved;
  }

  /**
   * Removes what is not too deep, and returns whether there may be more. Something that cannot be
   * moved may have room when the rest is deleted.
   */
  private boolean emptyTop() throws IOException {
    long deletedBefore = deleted;
    long movedBefore = moved;
    failure = null;
    empty(top, 0);
    IOException failed = failure;
    if (failed != null && deleted == deletedBefore && moved == movedBefore) {
      throw failed;
    }
    return failed != null || moved > movedBefore;
  }

  private void empty(Path directory, int depth) throws IOException {
    open(directory);
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        removeOrMove(entry, depth);
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private void removeOrMove(Path entry, int depth) {
    try {
      if (!Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
        delete(entry);
      } else if (isTooDeep(entry, depth)) {
        moveToTop(entry);
      } else {
        empty(entry, depth + 1);
        delete(entry);
      }
    } catch (IOException e) {
      failure = failure == null ? e : failure;
    }
  }

  private static boolean isTooDeep(Path directory, int depth) {
    return depth >= MAX_DEPTH || (depth > 0 && directory.toString().length() > MAX_PATH_LENGTH);
  }

  private void delete(Path entry) throws IOException {
    Files.delete(entry);
    deleted++;
  }

  private void moveToTop(Path directory) throws IOException {
    // A directory that this user may not write to cannot be moved.
    open(directory);
    Files.move(directory, top.resolve(prefix + moved), StandardCopyOption.ATOMIC_MOVE);
    moved++;
  }

  /** User code may have taken this user's own rights away. */
  private static void open(Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
  }
}
