package dev.assay.api.v1alpha1;

import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/**
 * The snapshot of a dataset that a run reads, whatever becomes of the dataset meanwhile.
 *
 * @param dataset name of the dataset
 * @param id identity of the snapshot
 * @param path directory of the snapshot, relative to the namespace's volume
 */
public record PinnedSnapshot(
    @Required @Size(max = Bounds.MAX_LABEL) String dataset,
    @Required @Size(max = 128) String id,
    @Required @Size(max = 512) String path) {}
