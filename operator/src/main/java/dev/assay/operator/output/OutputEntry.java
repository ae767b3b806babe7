package dev.assay.operator.output;

import java.time.Instant;

/**
 * What is stored of a run, as in a list.
 *
 * @param bytes of its output and its value; 0 if there is only a manifest
 * @param valueBytes of its value; 0 if there is none
 * @param lastWrite when the last part of it was stored
 */
public record OutputEntry(String runUid, long bytes, long valueBytes, Instant lastWrite) {
  /** The same without the value. */
  OutputEntry withoutValue() {
    return new OutputEntry(runUid, bytes - valueBytes, 0, lastWrite);
  }

  /** This and another file of the same run; that of a manifest, which is empty, has no time. */
  OutputEntry and(OutputEntry other) {
    boolean isNewer = other.bytes == 0 || (bytes > 0 && lastWrite.isAfter(other.lastWrite));
    return new OutputEntry(
        runUid,
        bytes + other.bytes,
        valueBytes + other.valueBytes,
        isNewer ? lastWrite : other.lastWrite);
  }
}
