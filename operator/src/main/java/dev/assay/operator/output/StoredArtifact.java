package dev.assay.operator.output;

import java.io.InputStream;

/**
 * An artifact in the store.
 *
 * @param length of all of it, in bytes
 * @param content the part that was asked for; to be closed
 */
public record StoredArtifact(long length, InputStream content) {}
