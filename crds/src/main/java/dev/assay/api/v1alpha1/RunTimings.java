package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import org.jspecify.annotations.Nullable;

/**
 * When a run reached each step, RFC 3339 with milliseconds, by the operator's clock.
 *
 * @param queued the run was created
 * @param podCreated the Pod was created
 * @param podRunning Kubernetes reported the Pod as running
 * @param bound the Pod was bound to the run
 * @param started the first instruction of the code, as the runner reported it
 * @param finished the end of the run
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunTimings(
    @Size(max = 40) @Nullable String queued,
    @Size(max = 40) @Nullable String podCreated,
    @Size(max = 40) @Nullable String podRunning,
    @Size(max = 40) @Nullable String bound,
    @Size(max = 40) @Nullable String started,
    @Size(max = 40) @Nullable String finished) {

  /** No step reached. */
  public static final RunTimings NONE = new RunTimings(null, null, null, null, null, null);

  public RunTimings withQueued(String at) {
    return new RunTimings(at, podCreated, podRunning, bound, started, finished);
  }

  public RunTimings withPodCreated(String at) {
    return new RunTimings(queued, at, podRunning, bound, started, finished);
  }

  public RunTimings withPodRunning(String at) {
    return new RunTimings(queued, podCreated, at, bound, started, finished);
  }

  public RunTimings withBound(String at) {
    return new RunTimings(queued, podCreated, podRunning, at, started, finished);
  }

  public RunTimings withStarted(String at) {
    return new RunTimings(queued, podCreated, podRunning, bound, at, finished);
  }

  public RunTimings withFinished(String at) {
    return new RunTimings(queued, podCreated, podRunning, bound, started, at);
  }
}
