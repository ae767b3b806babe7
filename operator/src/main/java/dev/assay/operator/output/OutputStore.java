package dev.assay.operator.output;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.Set;

/** Stores the output of runs, by namespace and run UID. */
public interface OutputStore {
  /** The location as shown to users, such as its directory. */
  String location();

  /**
   * Writes output at an offset. Bytes that exist are overwritten, so that a repeat after a lost
   * connection is idempotent; a gap is rejected.
   *
   * @throws IOException if the output cannot be stored; it must not be acknowledged then
   */
  void append(String namespace, String runUid, long offset, byte[] data) throws IOException;

  /** Marks the output as complete; from now on {@link #prune} may remove it. */
  void complete(String namespace, String runUid);

  /** How many bytes are stored; 0 for an unknown run. */
  long size(String namespace, String runUid) throws IOException;

  /** Reads from an offset to the end; empty for an unknown run. */
  Optional<InputStream> read(String namespace, String runUid, long offset) throws IOException;

  /** The UIDs of runs with stored output, except those still being written. */
  Set<String> storedRuns(String namespace) throws IOException;

  /**
   * Removes the oldest outputs of a namespace until it is within its limits, except those still
   * being written.
   */
  void prune(String namespace) throws IOException;

  /** Deletes the output of a run; idempotent. */
  void delete(String namespace, String runUid) throws IOException;
}
