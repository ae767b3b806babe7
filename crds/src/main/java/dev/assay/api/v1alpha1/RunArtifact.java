package dev.assay.api.v1alpha1;

import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/**
 * A file that a run left, and that is stored.
 *
 * @param path relative to the working directory of the run
 * @param bytes its length
 * @param sha256 its SHA-256, in hexadecimal
 * @param mediaType its media type, by its extension: nobody has looked into it
 */
public record RunArtifact(
    @Required @Size(max = Bounds.MAX_PATH_BYTES) String path,
    long bytes,
    @Required @Size(max = Bounds.DIGEST_HEX) String sha256,
    @Required @Size(max = 127) String mediaType) {}
