package dev.assay.operator.output;

import java.time.Instant;

/**
 * What is stored of a run, as in a list. The lengths are in bytes; 0 where there is nothing.
 *
 * @param outputBytes of its output
 * @param valueBytes of its value
 * @param artifactBytes of its artifacts
 * @param callBytes of the log of its calls of tools
 * @param lastWrite when the last part of it was stored
 */
public record OutputEntry(
    String runUid,
    long outputBytes,
    long valueBytes,
    long artifactBytes,
    long callBytes,
    Instant lastWrite) {

  /** Of a run of which nothing is stored yet. */
  static OutputEntry empty(String runUid, Instant now) {
    return new OutputEntry(runUid, 0, 0, 0, 0, now);
  }

  /** Of all that is stored of it. */
  public long bytes() {
    return outputBytes + valueBytes + artifactBytes + callBytes;
  }

  /** The same with so many bytes of output. */
  OutputEntry withOutput(long length, Instant written) {
    return new OutputEntry(runUid, length, valueBytes, artifactBytes, callBytes, written);
  }

  /** The same with a value of so many bytes. */
  OutputEntry withValue(long length, Instant written) {
    return new OutputEntry(runUid, outputBytes, length, artifactBytes, callBytes, written);
  }

  /** The same without the value. */
  OutputEntry withoutValue() {
    return withValue(0, lastWrite);
  }

  /** The same with so many bytes of artifacts. */
  OutputEntry withArtifacts(long length, Instant written) {
    return new OutputEntry(runUid, outputBytes, valueBytes, length, callBytes, written);
  }

  /** The same with so many bytes more in the log of its calls. */
  OutputEntry withMoreCalls(long length, Instant written) {
    return new OutputEntry(
        runUid, outputBytes, valueBytes, artifactBytes, callBytes + length, written);
  }

  /** This and another file of the same run; that of a manifest, which is empty, has no time. */
  OutputEntry and(OutputEntry other) {
    boolean isNewer = other.bytes() == 0 || (bytes() > 0 && lastWrite.isAfter(other.lastWrite));
    return new OutputEntry(
        runUid,
        outputBytes + other.outputBytes,
        valueBytes + other.valueBytes,
        artifactBytes + other.artifactBytes,
        callBytes + other.callBytes,
        isNewer ? lastWrite : other.lastWrite);
  }
}
