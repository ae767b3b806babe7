package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a dataset. Written by the operator only.
 *
 * @param phase of the newest generation
 * @param message one sentence for people; the reader's own words where the source was refused
 * @param observedGeneration the generation that phase and message speak of
 * @param conditions Ready
 * @param attempt how often making a snapshot of this generation was tried again
 * @param snapshot what runs read now; stays until a newer one is complete
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DatasetStatus(
    @Nullable DatasetPhase phase,
    @Size(max = 4096) @Nullable String message,
    @Nullable Long observedGeneration,
    @Size(max = 8) @Nullable List<Condition> conditions,
    @Nullable Integer attempt,
    @Nullable Snapshot snapshot) {

  /** The state of a dataset that nobody has looked at yet. */
  public static final DatasetStatus EMPTY = new DatasetStatus(null, null, null, null, null, null);
}
