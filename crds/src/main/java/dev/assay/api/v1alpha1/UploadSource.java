package dev.assay.api.v1alpha1;

import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/**
 * Bytes that a caller sends beside the object, by {@code PUT /api/v1/datasets/NAME}, which writes
 * this.
 *
 * @param id id of this upload, so that the same bytes sent again are a new generation
 * @param bytes bytes of the body, as they are sent
 */
public record UploadSource(
    @Required @Pattern(Bounds.LABEL_PATTERN) @Size(min = 1, max = Bounds.MAX_LABEL) String id,
    @Required @Min(0) @Max(Bounds.MAX_SOURCE) long bytes) {}
