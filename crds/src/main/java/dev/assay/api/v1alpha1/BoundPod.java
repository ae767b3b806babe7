package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The one Pod of a run.
 *
 * @param name name of the Pod
 * @param uid UID of the Pod; a Pod of the same name with another UID is another Pod
 * @param warm whether the Pod existed before the run
 * @param nonce id of the runner process that was given the run
 * @param dispatcher id of the execution, in an operator process, that made the binding or has
 *     resumed the run since: the last one that may start the code
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BoundPod(
    @Required @Size(max = 253) String name,
    @Required @Size(max = 64) String uid,
    boolean warm,
    @Size(max = 64) @Nullable String nonce,
    @Size(max = 64) @Nullable String dispatcher)
    implements BoundPodBuilder.With {}
