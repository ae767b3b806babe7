package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a run. Written by the operator only, on transitions.
 *
 * @param phase summary of the conditions
 * @param reason the reason of the newest condition
 * @param message one sentence for people
 * @param observedGeneration the generation of the spec that this status describes
 * @param className the RunClass that the run waits for a Pod of, or was given a Pod of
 * @param conditions Bound, Started, OutputStoreUnavailable and Finished
 * @param snapshots the dataset snapshots that the run was pinned to
 * @param inputs the artifacts of earlier runs that the run was pinned to
 * @param pod the Pod that the run was given
 * @param payloadStarted whether the code was started
 * @param timings when each step was reached
 * @param queueTime from when the operator saw the run first until a Pod was bound to it, such as
 *     1.2s
 * @param runTime from the first instruction to the end, as a duration such as 1.2s
 * @param usage resources that the code used; absent if the run ended without a report
 * @param toolCalls how many calls of tools the code made; absent if it could make none, or that is
 *     unknown
 * @param result what the run returned
 * @param artifacts the files that the run left and that are stored, by their numbers
 * @param artifactsMessage one sentence if files were left out, or none could be collected
 * @param imageID the digest of the image that the worker ran, such as {@code sha256:...}
 * @param cacheKey the SHA-256, in hexadecimal, of everything that the value follows from; present
 *     if another run with the same key would return the same
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AnalyticsRunStatus(
    @Nullable RunPhase phase,
    @Nullable RunReason reason,
    @Size(max = 4096) @Nullable String message,
    @Nullable Long observedGeneration,
    @Size(max = Bounds.MAX_LABEL) @Nullable String className,
    @Size(max = 8) @Nullable List<Condition> conditions,
    @Size(max = 16) @Nullable List<PinnedSnapshot> snapshots,
    @Size(max = Bounds.MAX_PINNED_INPUTS) @Nullable List<PinnedInput> inputs,
    @Nullable BoundPod pod,
    @Nullable PayloadStarted payloadStarted,
    @Nullable RunTimings timings,
    @Size(max = 32) @Nullable String queueTime,
    @Size(max = 32) @Nullable String runTime,
    @Nullable RunUsage usage,
    @Nullable ToolCallCounts toolCalls,
    @Nullable RunResult result,
    @Size(max = Bounds.MAX_ARTIFACTS) @Nullable List<RunArtifact> artifacts,
    @Size(max = 1024) @Nullable String artifactsMessage,
    @Size(max = Bounds.MAX_IMAGE_ID) @Nullable String imageID,
    @Size(max = Bounds.DIGEST_HEX) @Nullable String cacheKey)
    implements AnalyticsRunStatusBuilder.With {

  /** The state of a run that the operator has not processed yet. */
  public static final AnalyticsRunStatus EMPTY = AnalyticsRunStatusBuilder.builder().build();

  /** The stored files, by their numbers; empty where there are none. */
  public List<RunArtifact> artifactList() {
    return artifacts == null ? List.of() : artifacts;
  }

  /** The artifacts that the run was pinned to; empty where there are none. */
  public List<PinnedInput> inputList() {
    return inputs == null ? List.of() : inputs;
  }

  /** The snapshots that it reads; empty if it reads none or is not bound. */
  public List<PinnedSnapshot> snapshotList() {
    return snapshots == null ? List.of() : snapshots;
  }
}
