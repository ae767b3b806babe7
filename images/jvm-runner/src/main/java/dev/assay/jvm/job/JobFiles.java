package dev.assay.jvm.job;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of a job. Paths are relative to the working directory.
 *
 * @param texts files to write before it starts
 * @param inputs artifacts of earlier runs, which are mounted
 * @param collected folders whose files are kept after its end
 * @param maxCollected how many files are kept
 */
public record JobFiles(
    List<TextFile> texts, List<InputFile> inputs, Set<String> collected, int maxCollected) {
  /** No files. */
  public static final JobFiles NONE = new JobFiles(List.of(), List.of(), Set.of(), 0);

  public JobFiles {
    texts = List.copyOf(texts);
    inputs = List.copyOf(inputs);
    collected = Set.copyOf(collected);
  }

  /** Whether the files of a folder are kept. */
  public boolean keeps(String folder) {
    return collected.contains(folder);
  }

  /** A file with its content. */
  public record TextFile(String path, String text) {}

  /**
   * An artifact of an earlier run.
   *
   * @param number its name in the directory of the inputs
   * @param path where it is linked; null for a frame
   * @param frame the name of a frame that the run kept; null for other files
   * @param kind the format of a frame
   */
  public record InputFile(
      int number, @Nullable String path, @Nullable String frame, @Nullable String kind) {}
}
