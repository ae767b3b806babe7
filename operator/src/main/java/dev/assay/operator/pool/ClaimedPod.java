package dev.assay.operator.pool;

import dev.assay.operator.runner.Hello;
import io.fabric8.kubernetes.api.model.Pod;

/**
 * A warm Pod that was given to a run.
 *
 * @param hello what its runner answered last while it waited
 */
public record ClaimedPod(Pod pod, Hello hello) {}
