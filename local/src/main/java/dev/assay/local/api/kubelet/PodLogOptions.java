package dev.assay.local.api.kubelet;

import org.jspecify.annotations.Nullable;

/**
 * Which part of a log is wanted.
 *
 * @param container its name; empty for the only one
 * @param follow whether to go on while the container writes
 * @param previous whether of the container's earlier life
 * @param tailLines how many of the last lines; absent for all
 * @param limitBytes how many bytes at most; absent for all
 */
public record PodLogOptions(
    String container,
    boolean follow,
    boolean previous,
    @Nullable Long tailLines,
    @Nullable Long limitBytes) {}
