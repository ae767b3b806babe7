package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.Condition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a dataset. Written by the operator only.
 *
 * @param phase phase of the newest generation
 * @param message one sentence for people; the reader's message if the source was refused
 * @param observedGeneration the generation that phase and message describe
 * @param conditions the condition Ready
 * @param attempt number of retries of the snapshot of this generation
 * @param snapshot the snapshot that new runs read; kept until a newer one is complete
 */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DatasetStatus(
    @Nullable DatasetPhase phase,
    @Size(max = 4096) @Nullable String message,
    @Nullable Long observedGeneration,
    @Size(max = 8) @Nullable List<Condition> conditions,
    @Nullable Integer attempt,
    @Nullable Snapshot snapshot)
    implements DatasetStatusBuilder.With {

  /** The state of a dataset that the operator has not processed yet. */
  public static final DatasetStatus EMPTY = DatasetStatusBuilder.builder().build();
}
