package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a class. Written by the operator only.
 *
 * @param image the image that {@code imageID} is of
 * @param imageID the digest that the image had in the newest Pod
 * @param imageIDSeen when it was first seen, RFC 3339
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunClassStatus(
    @Size(max = Bounds.MAX_IMAGE) @Nullable String image,
    @Size(max = Bounds.MAX_IMAGE_ID) @Nullable String imageID,
    @Size(max = 40) @Nullable String imageIDSeen) {}
