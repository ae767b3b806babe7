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
  public ArchiveTraining {
    command = List.copyOf(command);
  }
}
