package dev.assay.operator.output;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The artifacts of a run that are stored, in the order of their numbers 1, 2, 3 …
 *
 * @param artifacts each with its path
 * @param message which files are missing, and why; null if none are
 */
public record ArtifactList(
    @JsonProperty(required = true) List<Entry> artifacts, @Nullable String message) {

  /**
   * An artifact.
   *
   * @param path where the code has left it
   * @param bytes its length
   * @param sha256 its digest, in hexadecimal
   */
  public record Entry(
      @JsonProperty(required = true) String path,
      @JsonProperty(required = true) long bytes,
      @JsonProperty(required = true) String sha256) {}

  /** The length of all of them together. */
  public long bytes() {
    return artifacts.stream().mapToLong(Entry::bytes).sum();
  }

  /** How many bytes there are before an artifact. */
  long offset(int number) {
    return artifacts.stream().limit(number - 1L).mapToLong(Entry::bytes).sum();
  }

  /** Whether there is an artifact with a number. */
  boolean contains(int number) {
    return number >= 1 && number <= artifacts.size();
  }
}
