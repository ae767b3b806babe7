package dev.assay.operator.output;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Stores the artifacts of a run: all of them, or none if it is closed before {@link #finish}. */
public interface ArtifactWriter extends Closeable {
  /**
   * Adds an artifact after those that were added; after a failure it is as if it had not been
   * begun.
   *
   * @param path where the code has left it
   * @param bytes its length
   * @param content read to this length, in small parts; not closed
   * @throws IOException if it cannot be read or stored now
   */
  void add(String path, long bytes, InputStream content) throws IOException;

  /**
   * Stores what was added, so that it survives a crash of the operator and of its node. If another
   * process has done so before, what that has stored stays.
   *
   * @param message which files are missing, and why; null if none are
   * @return what is stored
   * @throws IOException if that is not possible now
   */
  ArtifactList finish(@Nullable String message) throws IOException;
}
