package dev.assay.operator.pod;

/**
 * A dataset in a Pod, read-only at {@code /datasets/NAME}.
 *
 * @param dataset its name
 * @param path the snapshot's directory on the namespace's volume
 */
public record DatasetMount(String dataset, String path) {}
