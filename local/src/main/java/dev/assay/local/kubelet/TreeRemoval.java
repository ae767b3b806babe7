package dev.assay.local.kubelet;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Removes a directory with all that is in it. What user code has left may be so deep that no path
 * leads there, and that nobody may open all of its directories at once: so each directory is moved
 * to the top before it is entered.
 */
final class TreeRemoval {
  private final Path top;
  private final Deque<Path> left = new ArrayDeque<>();
  private long moved;

  private TreeRemoval(Path top) {
    this.top = top;
  }

  /**
   * Removes a directory.
   *
   * @param top a directory in which nobody else creates anything
   * @throws NoSuchFileException if it does not exist
   */
  static void remove(Path top) throws IOException {
    TreeRemoval removal = new TreeRemoval(top);
    removal.empty(top);
    while (!removal.left.isEmpty()) {
      Path directory = removal.left.pop();
      removal.empty(directory);
      Files.delete(directory);
    }
    Files.delete(top);
  }

  /** Removes the files of a directory, and moves its directories to the top. */
  private void empty(Path directory) throws IOException {
    open(directory);
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (!Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          Files.delete(entry);
        } else if (directory.equals(top)) {
          left.push(entry);
        } else {
          left.push(toTop(entry));
        }
      }
    }
  }

  private Path toTop(Path directory) throws IOException {
    // A directory that this user may not write to cannot be moved.
    open(directory);
    Path target = top.resolve(".removed-" + moved++);
    return Files.move(directory, target, StandardCopyOption.ATOMIC_MOVE);
  }

  /** User code may have taken this user's own rights away. */
  private static void open(Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
  }
}
