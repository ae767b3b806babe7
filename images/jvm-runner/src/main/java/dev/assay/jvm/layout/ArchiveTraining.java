package dev.assay.jvm.layout;

import java.nio.file.Path;
import java.util.List;

/**
 * How an archive of loaded classes is made: the command writes the unfinished file, which is then
 * renamed, since workers start meanwhile.
 *
 * @param archive the file that the worker's start looks for
 * @param unfinished what the command writes
 * @param command does once what the program does
 */
public record ArchiveTraining(Path archive, Path unfinished, List<String> command) {
  private static final String UNFINISHED = ".new.";

  public ArchiveTraining {
    command = List.copyOf(command);
  }

  /** Where this process writes an archive before it is whole. */
  static Path unfinished(Path archive) {
    return archive.resolveSibling(
        archive.getFileName() + UNFINISHED + ProcessHandle.current().pid());
  }

  /** Whether a file was left by a training that was killed, of whichever process. */
  public static boolean isUnfinished(Path file) {
    return file.getFileName().toString().contains(UNFINISHED);
  }

  /** What the JVM writes first, and removes once the archive is whole. */
  public Path intermediate() {
    return unfinished.resolveSibling(unfinished.getFileName() + ".config");
  }
}
