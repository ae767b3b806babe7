package dev.assay.frontend.run;

import java.util.List;

/**
 * Where whole output is kept, values that are too long for a status, artifacts, definitions of
 * tools, and records of their calls.
 */
@FunctionalInterface
public interface OutputStore {
  /** Nobody should approve a definition that is shown in part: a longer one is not shown. */
  int MAX_DEFINITION_BYTES = 1 << 20;

  /** There is none: long output is shown in part. */
  OutputStore NONE = (namespace, runUid, offset, maxBytes) -> Missing.UNCONFIGURED;

  /**
   * Reads a part of a run's stored output, bounded in time. Of a run in progress there may be more
   * a moment later.
   *
   * @param offset the byte to begin at; beyond the end nothing is read
   * @param maxBytes how much at most
   */
  Stored read(String namespace, String runUid, long offset, int maxBytes)
      throws InterruptedException;

  /**
   * Reads the value of a run whose status has only its length, bounded in time and to {@link
   * dev.assay.api.v1alpha1.Bounds#MAX_VALUE_BYTES}. It comes from inside the Pod: its digest is in
   * the status, its shape is the reader's to check.
   */
  default Stored readValue(String namespace, String runUid) throws InterruptedException {
    return Missing.UNCONFIGURED;
  }

  /**
   * Reads a part of an artifact of a run, bounded in time.
   *
   * @param number of the artifact, from 1
   * @param offset the byte to begin at; beyond the end nothing is read
   * @param maxBytes how much at most
   */
  default Stored readArtifact(
      String namespace, String runUid, int number, long offset, int maxBytes)
      throws InterruptedException {
    return Missing.UNCONFIGURED;
  }

  /**
   * Reads the definition of a tool of another server, bounded in time.
   *
   * @param digest as the status of the server has it
   * @return of one with more than {@link #MAX_DEFINITION_BYTES} only so many and one more
   */
  default Stored readDefinition(String namespace, String digest) throws InterruptedException {
    return Missing.UNCONFIGURED;
  }

  /**
   * Reads records of the calls of tools that a run has made, bounded in time and memory. Of a run
   * in progress there may be more a moment later.
   *
   * @param after the number of a call: the records of later ones are read; 0 for those of all
   * @param limit how many at most; there may be fewer, though there are more
   */
  default StoredCalls readCalls(String namespace, String runUid, int after, int limit)
      throws InterruptedException {
    return Missing.UNCONFIGURED;
  }

  /** What was read. */
  sealed interface Stored {}

  /** What was read of calls. */
  sealed interface StoredCalls {}

  /**
   * Records by their numbers.
   *
   * @param hasMore whether others follow
   */
  record Calls(List<ToolCallRecord> records, boolean hasMore) implements StoredCalls {
    public Calls {
      records = List.copyOf(records);
    }
  }

  /** The bytes from the offset on. */
  @SuppressWarnings("ArrayRecordComponent") // Made once, read once, never compared.
  record Bytes(byte[] bytes) implements Stored {}

  /** The store has nothing of this run: not yet, or not any more. */
  record Absent() implements Stored, StoredCalls {}

  /**
   * The store cannot be asked.
   *
   * @param why in a few words, for the caller
   */
  record Missing(String why) implements Stored, StoredCalls {
    private static final Missing UNCONFIGURED = new Missing("no output store is configured");
  }
}
