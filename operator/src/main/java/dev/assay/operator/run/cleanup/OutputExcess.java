package dev.assay.operator.run.cleanup;

import dev.assay.operator.config.OperatorConfig.OutputStoreConfig;
import dev.assay.operator.output.OutputEntry;
import dev.assay.operator.output.OutputRetention;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.cluster.RunResources;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the callers of a namespace have stored beyond the limits of the output store, of runs that
 * have ended.
 */
public final class OutputExcess {
  private static final Logger LOG = LoggerFactory.getLogger(OutputExcess.class);

  private final RunResources resources;
  private final RunOutputs outputs;
  private final OutputStoreConfig limits;

  public OutputExcess(RunResources resources, RunOutputs outputs, OutputStoreConfig limits) {
    this.resources = resources;
    this.outputs = outputs;
    this.limits = limits;
  }

  /**
   * Removes it, the oldest of the caller who has most first; may be called by several threads at
   * once.
   */
  public void remove(String namespace) throws IOException {
    List<OutputEntry> stored = outputs.entries(namespace);
    if (OutputRetention.isWithin(stored, limits)) {
      // Each run with artifacts comes here, and looking at all runs of the namespace takes time.
      return;
    }
    Set<String> unfinished = resources.unfinishedRunUids(namespace);
    for (OutputEntry oldest :
        OutputRetention.excess(
            stored,
            limits,
            uid -> !unfinished.contains(uid) && !outputs.isBeingWritten(namespace, uid),
            resources.callers(namespace))) {
      outputs.delete(namespace, oldest.runUid());
      LOG.debug("Removed the oldest output, of run {} in {}", oldest.runUid(), namespace);
    }
  }

  /** Removes cached values beyond the limit of the cache, the oldest first. */
  public void removeOfCache(String namespace) throws IOException {
    for (OutputEntry oldest :
        OutputRetention.excessOfCache(
            outputs.entries(namespace),
            limits.cacheMaxBytesPerNamespace(),
            resources.reusableRunUids(namespace)::contains,
            resources.callers(namespace))) {
      outputs.deleteValue(namespace, oldest.runUid());
      LOG.debug("Removed the oldest cached value, of run {} in {}", oldest.runUid(), namespace);
    }
  }
}
