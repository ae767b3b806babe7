package dev.assay.operator.output;

import java.time.Instant;

/**
 * The stored output of a run, as in a list.
 *
 * @param bytes its length; 0 if there is only a manifest
 * @param lastWrite when its last part was stored
 */
public record OutputEntry(String runUid, long bytes, Instant lastWrite) {}
