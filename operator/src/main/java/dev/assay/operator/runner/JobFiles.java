package dev.assay.operator.runner;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files that a job reads and leaves.
 *
 * @param files texts that it finds in its working directory; null for none
 * @param inputs what its Pod has received of earlier runs; null for none
 * @param keep names of frames that it leaves; null for none
 * @param collect what is collected after its end; null for nothing
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobFiles(
    @Nullable List<TextFile> files,
    @Nullable List<Input> inputs,
    @Nullable List<String> keep,
    @Nullable Collect collect) {
  /** No files. */
  public static final JobFiles NONE = new JobFiles(null, null, null, null);

  /**
   * A text.
   *
   * @param path relative to the working directory
   * @param text its content
   */
  public record TextFile(String path, String text) {}

  /**
   * An artifact that the Pod has received: as a file, or as a frame.
   *
   * @param number under which it was sent
   * @param path relative to the working directory; null for a frame
   * @param frame the name of the frame; null for a file
   * @param kind of the frame's file, arrow or parquet; null for a file
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Input(
      int number, @Nullable String path, @Nullable String frame, @Nullable String kind) {}

  /**
   * What is collected: regular files below folders, single files, and those that the code
   * registered.
   *
   * @param folders relative to the working directory
   * @param files relative to the working directory; null for none
   * @param anywhere whether those elsewhere in the working directory are collected too; null for no
   * @param maxCount how many files
   * @param maxBytes of all of them together
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Collect(
      List<String> folders,
      @Nullable List<String> files,
      @Nullable Boolean anywhere,
      int maxCount,
      long maxBytes) {
    /** Only folders. */
    public static Collect folders(List<String> folders, int maxCount, long maxBytes) {
      return new Collect(folders, null, null, maxCount, maxBytes);
    }

    /** The same, and all that is elsewhere. */
    public Collect andAnywhere() {
      return new Collect(folders, files, true, maxCount, maxBytes);
    }
  }
}
