package dev.assay.operator.output;

import java.time.Instant;

/**
 * What is stored of a run, as in a list.
 *
 * @param bytes of its output, its value and its artifacts; 0 if there is only a manifest
 * @param valueBytes of its value; 0 if there is none
 * @param artifactBytes of its artifacts; 0 if there are none
 * @param lastWrite when the last part of it was stored
 */
public record OutputEntry(
    String runUid, long bytes, long valueBytes, long artifactBytes, Instant lastWrite) {

  /** What is stored of a run without artifacts. */
  OutputEntry(String runUid, long bytes, long valueBytes, Instant lastWrite) {
    this(runUid, bytes, valueBytes, 0, lastWrite);
  }

  /** The same without the value. */
  OutputEntry withoutValue() {
    return new OutputEntry(runUid, bytes - valueBytes, 0, artifactBytes, lastWrite);
  }

  /** The same with so many bytes of artifacts. */
  OutputEntry withArtifacts(long length, Instant written) {
    return new OutputEntry(runUid, bytes - artifactBytes + length, valueBytes, length, written);
  }

  /** This and another file of the same run; that of a manifest, which is empty, has no time. */
  OutputEntry and(OutputEntry other) {
    boolean isNewer = other.bytes == 0 || (bytes > 0 && lastWrite.isAfter(other.lastWrite));
    return new OutputEntry(
        runUid,
        bytes + other.bytes,
        valueBytes + other.valueBytes,
        artifactBytes + other.artifactBytes,
        isNewer ? lastWrite : other.lastWrite);
  }
}
