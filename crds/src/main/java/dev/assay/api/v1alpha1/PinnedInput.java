package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * An artifact that a run reads.
 *
 * @param run name of the run that left it
 * @param uid the UID of that run
 * @param number its number in the output store: its position in {@code status.artifacts}, from 1
 * @param artifact its path in that run
 * @param bytes its length
 * @param sha256 its SHA-256, in hexadecimal
 * @param path where the file is, relative to the working directory; absent for a frame
 * @param frame the name that the frame is bound under; absent for a file
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PinnedInput(
    @Required @Size(max = Bounds.MAX_SUBDOMAIN) String run,
    @Required @Size(max = 64) String uid,
    int number,
    @Required @Size(max = Bounds.MAX_PATH_BYTES) String artifact,
    long bytes,
    @Required @Size(max = Bounds.DIGEST_HEX) String sha256,
    @Size(max = Bounds.MAX_PATH_BYTES) @Nullable String path,
    @Size(max = Bounds.MAX_FRAME_NAME) @Nullable String frame) {}
