package dev.assay.operator.output;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.Set;

/** Keeps the output of runs, by namespace and run UID. */
public interface OutputStore {
  /** What people know the store by, such as its directory. */
  String location();

  /**
   * Adds output at an offset. Bytes that are there already are written again, so that a repeat
   * after a lost connection changes nothing; a gap is refused.
   *
   * @throws IOException where it cannot be stored; nothing may be acknowledged then
   */
  void append(String namespace, String runUid, long offset, byte[] data) throws IOException;

  /** Nothing more will be added; from now on the output may make room for newer ones. */
  void complete(String namespace, String runUid);

  /** How many bytes are stored; 0 for an unknown run. */
  long size(String namespace, String runUid) throws IOException;

  /** Reads from an offset to the end; empty for an unknown run. */
  Optional<InputStream> read(String namespace, String runUid, long offset) throws IOException;

  /** The UIDs of the runs that output is stored of, but for those that still write. */
  Set<String> storedRuns(String namespace) throws IOException;

  /**
   * Removes the oldest outputs while a namespace has more than it may, but for those of runs that
   * still write.
   */
  void prune(String namespace) throws IOException;

  /** Forgets a run; a repeat does nothing. */
  void delete(String namespace, String runUid) throws IOException;
}
