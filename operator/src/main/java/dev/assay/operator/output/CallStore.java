package dev.assay.operator.output;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * Stores what is known of the calls of tools that a run makes: a log, and the outcomes that its Pod
 * has not received yet.
 */
public interface CallStore {
  /**
   * Appends lines to the log of a run. Where two processes append, the lines of both are kept, in
   * one order that both read.
   *
   * @param durable whether the log survives a crash of the operator's node when this returns; it
   *     survives one of the operator in any case
   * @return the length of the log, with what others have appended before and perhaps since
   * @throws IOException if the lines may not be stored
   */
  long appendCalls(String namespace, String runUid, byte[] lines, boolean durable)
      throws IOException;

  /** Opens the log at an offset; an empty one for an unknown run. */
  InputStream calls(String namespace, String runUid, long offset) throws IOException;

  /**
   * Stores the outcome of a call, in place of one that was stored. It survives a crash of the
   * operator.
   */
  void putOutcome(String namespace, String runUid, int call, byte[] outcome) throws IOException;

  /** Opens the outcome of a call; empty if none is stored. */
  Optional<InputStream> outcome(String namespace, String runUid, int call) throws IOException;

  /** Deletes the outcome of a call; idempotent. */
  void deleteOutcome(String namespace, String runUid, int call) throws IOException;
}
