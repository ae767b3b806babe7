package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * The one Pod of a run.
 *
 * @param name its name
 * @param uid its UID; a Pod of the same name with another UID is another Pod
 * @param warm whether it was waiting before the run came
 * @param nonce the runner process that the run was handed to
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BoundPod(
    @Required @Size(max = 253) String name,
    @Required @Size(max = 64) String uid,
    boolean warm,
    @Size(max = 64) @Nullable String nonce) {}
