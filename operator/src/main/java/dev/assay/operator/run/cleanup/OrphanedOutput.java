package dev.assay.operator.run.cleanup;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.kubernetes.Pages;
import dev.assay.operator.output.OutputEntry;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.run.cluster.RunResources;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Output whose run was deleted. Outputs are listed before runs, so that the output of a run that is
 * created meanwhile is not in the list.
 */
public final class OrphanedOutput {
  private static final Logger LOG = LoggerFactory.getLogger(OrphanedOutput.class);

  private final KubernetesClient client;
  private final RunResources resources;
  private final RunOutputs outputs;

  public OrphanedOutput(KubernetesClient client, RunResources resources, RunOutputs outputs) {
    this.client = client;
    this.resources = resources;
    this.outputs = outputs;
  }

  /** Removes what a namespace has of it. */
  public void remove(String namespace) throws IOException {
    Set<String> orphans =
        outputs.entries(namespace).stream()
            .map(OutputEntry::runUid)
            .filter(uid -> !outputs.isBeingWritten(namespace, uid))
            .collect(Collectors.toSet());
    orphans.removeAll(resources.runUids(namespace));
    if (orphans.isEmpty()) {
      return;
    }
    // A cache may be stale; the API server is authoritative.
    Pages.forEach(
        client.resources(AnalyticsRun.class).inNamespace(namespace),
        run -> orphans.remove(run.getMetadata().getUid()));
    for (String uid : orphans) {
      outputs.delete(namespace, uid);
      LOG.debug("Removed the output of deleted run {} in namespace {}", uid, namespace);
    }
  }
}
