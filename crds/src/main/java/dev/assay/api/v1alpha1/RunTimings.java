package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * When a run reached each step, RFC 3339 with milliseconds, by the operator's clock.
 *
 * @param queued the operator saw the run first; in whole seconds if that was long after its
 *     creation
 * @param podCreated the Pod was created
 * @param podRunning Kubernetes reported the Pod as running
 * @param bound the Pod was bound to the run
 * @param started the first instruction of the code, as the runner reported it
 * @param finished the end of the run
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunTimings(
    @Size(max = 40) @Nullable String queued,
    @Size(max = 40) @Nullable String podCreated,
    @Size(max = 40) @Nullable String podRunning,
    @Size(max = 40) @Nullable String bound,
    @Size(max = 40) @Nullable String started,
    @Size(max = 40) @Nullable String finished)
    implements RunTimingsBuilder.With {

  /** No step reached. */
  public static final RunTimings NONE = RunTimingsBuilder.builder().build();
}
