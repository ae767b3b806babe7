package dev.assay.api.v1alpha1;

import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/**
 * A column of a snapshot's frame.
 *
 * @param name as pandas has it, cut at 256 characters
 * @param type pandas' own name of the type
 * @param nulls how many values are missing
 */
public record SnapshotColumn(
    @Required @Size(max = 256) String name, @Required @Size(max = 128) String type, long nulls) {}
