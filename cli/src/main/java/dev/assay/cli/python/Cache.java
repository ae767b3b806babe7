package dev.assay.cli.python;

import dev.assay.cli.DirectoryTree;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.UserDirectories;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Directories that are made once and kept. One that was not finished, or has lost files since, is
 * made again; of two processes that need the same one, the second waits.
 */
public final class Cache {
  /** File locks are those of a process: a second thread of it fails instead of waiting. */
  private static final ReentrantLock WITHIN_THIS_PROCESS = new ReentrantLock();

  private static final String COMPLETE = "complete";

  private final Path root;

  public Cache(Path root) {
    this.root = root;
  }

  /** The cache of this user. */
  public static Cache ofUser() {
    return new Cache(UserDirectories.ofUser().cache().resolve("assay").resolve("local"));
  }

  /** Fills a new directory. */
  @FunctionalInterface
  public interface Maker {
    void make(Path directory) throws IOException, MachineException, InterruptedException;
  }

  /**
   * The directory of a name; made now where it is not there as it should be.
   *
   * @param watched the folder below it whose entries are counted, to see that nothing was lost
   * @param waiting told where another process is at it
   */
  public Path ensure(String name, String watched, Runnable waiting, Maker maker)
      throws MachineException, InterruptedException {
    Path directory = root.resolve(name);
    try {
      if (isWhole(directory, watched)) {
        return directory;
      }
      Files.createDirectories(root);
      WITHIN_THIS_PROCESS.lockInterruptibly();
      try (FileChannel channel =
          FileChannel.open(
              root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        // The end of the channel is the end of the lock.
        lock(channel, waiting);
        if (!isWhole(directory, watched)) {
          DirectoryTree.remove(directory);
          Files.createDirectories(directory);
          maker.make(directory);
          Files.writeString(directory.resolve(COMPLETE), inventory(directory, watched));
        }
      } finally {
        WITHIN_THIS_PROCESS.unlock();
      }
      return directory;
    } catch (IOException e) {
      throw new MachineException(sentence(e), e);
    }
  }

  /** Whether the directory of a name is there, with all that it had. */
  boolean has(String name, String watched) throws MachineException {
    try {
      return isWhole(root.resolve(name), watched);
    } catch (IOException e) {
      throw new MachineException(sentence(e), e);
    }
  }

  /** Removes all of it. */
  void clear() throws MachineException {
    try {
      DirectoryTree.remove(root);
    } catch (IOException e) {
      throw new MachineException(sentence(e), e);
    }
  }

  /** Where the script that builds this program puts libraries that it has fetched meanwhile. */
  Path fetched() {
    return root.resolve("fetched");
  }

  Path root() {
    return root;
  }

  private static void lock(FileChannel channel, Runnable waiting) throws IOException {
    @Nullable FileLock lock = channel.tryLock();
    if (lock == null) {
      waiting.run();
      lock = channel.lock();
    }
    if (!lock.isValid()) {
      throw new IOException("the lock was lost");
    }
  }

  private static boolean isWhole(Path directory, String watched) throws IOException {
    Path complete = directory.resolve(COMPLETE);
    return Files.isRegularFile(complete)
        && Files.readString(complete).equals(inventory(directory, watched));
  }

  /** What is in the watched folder, and how much in each folder of it. */
  private static String inventory(Path directory, String watched) throws IOException {
    Path folder = directory.resolve(watched);
    if (!Files.isDirectory(folder)) {
      return "nothing";
    }
    StringBuilder text = new StringBuilder();
    for (Path entry : entries(folder)) {
      // Python keeps what it has compiled beside the sources, at any time.
      if (!entry.getFileName().toString().equals("__pycache__")) {
        long size =
            Files.isDirectory(entry)
                ? entries(entry).stream().filter(Cache::counts).count()
                : Files.size(entry);
        text.append(entry.getFileName()).append(' ').append(size).append('\n');
      }
    }
    return text.toString();
  }

  private static boolean counts(Path entry) {
    return !entry.getFileName().toString().equals("__pycache__");
  }

  private static List<Path> entries(Path folder) throws IOException {
    try (Stream<Path> listed = Files.list(folder)) {
      return listed.sorted().toList();
    }
  }

  private String sentence(IOException e) {
    String remedy = ": name a directory that you can write to in XDG_CACHE_HOME";
    if (e instanceof AccessDeniedException) {
      return root + " cannot be written to" + remedy;
    }
    if (e instanceof FileSystemException failed && failed.getReason() != null) {
      return failed.getFile() + ": " + failed.getReason() + remedy;
    }
    return root + " cannot be used (" + e.getMessage() + ")" + remedy;
  }
}
