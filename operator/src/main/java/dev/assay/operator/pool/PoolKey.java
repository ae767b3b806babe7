package dev.assay.operator.pool;

import dev.assay.operator.pod.RunnerPodRequest.RunWorker.Program;

/**
 * Whose runs a pool serves.
 *
 * @param namespace the namespace of the runs and their Pods
 * @param className the name of their class
 * @param program what executes their code
 */
public record PoolKey(String namespace, String className, Program program) {}
