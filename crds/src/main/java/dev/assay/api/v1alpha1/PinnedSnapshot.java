package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The snapshot of a dataset that a run reads, whatever becomes of the dataset meanwhile.
 *
 * @param dataset name of the dataset
 * @param id identity of the snapshot
 * @param path directory of the snapshot, relative to the namespace's volume
 * @param displayName the name as the owner of the dataset wrote it, from which its table and its
 *     file have their names; absent if it is {@code dataset}
 * @param untrusted whether it may contain content of tool servers; absent if not
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PinnedSnapshot(
    @Required @Size(max = Bounds.MAX_LABEL) String dataset,
    @Required @Size(max = 128) String id,
    @Required @Size(max = 512) String path,
    @Size(max = Bounds.MAX_LABEL) @Nullable String displayName,
    @Nullable Boolean untrusted) {

  /** The current snapshot of a dataset; empty if it has none yet. */
  public static Optional<PinnedSnapshot> of(Dataset dataset) {
    String name = dataset.getMetadata().getName();
    String displayName = dataset.getSpec().displayName();
    return Optional.ofNullable(dataset.getStatus())
        .map(DatasetStatus::snapshot)
        .map(
            snapshot ->
                new PinnedSnapshot(
                    name,
                    snapshot.id(),
                    snapshot.path(),
                    name.equals(displayName) ? null : displayName,
                    dataset.hasUntrustedContent() ? true : null));
  }
}
