package dev.assay.frontend;

import dev.assay.frontend.cluster.ClusterDatasets;
import dev.assay.frontend.cluster.ClusterRunClasses;
import dev.assay.frontend.cluster.ClusterRuns;
import dev.assay.frontend.cluster.ClusterScripts;
import dev.assay.frontend.cluster.ClusterToolServers;
import dev.assay.frontend.dataset.UploadRelay;
import dev.assay.frontend.run.OutputStore;
import dev.assay.frontend.toolserver.ToolServers;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the front end works on, in a cluster: watched from now on, until it is closed. */
public final class KubernetesCluster implements AutoCloseable {
  private final ClusterRuns runs;
  private final ClusterDatasets datasets;
  private final ClusterRunClasses classes;
  private final ClusterScripts scripts;
  private final @Nullable ClusterToolServers toolServers;

  /**
   * Begins to watch.
   *
   * @param withTools whether the tools of other servers are wanted, which takes permissions
   */
  public KubernetesCluster(KubernetesClient client, List<String> namespaces, boolean withTools) {
    this.runs = new ClusterRuns(client, namespaces);
    this.datasets = new ClusterDatasets(client, namespaces);
    this.classes = new ClusterRunClasses(client);
    this.scripts = new ClusterScripts(client);
    this.toolServers = withTools ? new ClusterToolServers(client, namespaces) : null;
  }

  /** With the place where whole output is, and the way for uploads. */
  public FrontEnd.Cluster with(OutputStore outputs, UploadRelay uploads) {
    return new FrontEnd.Cluster(
        runs,
        datasets,
        classes,
        outputs,
        uploads,
        scripts,
        toolServers == null ? ToolServers.NONE : toolServers,
        () -> runs.hasSynced() && datasets.hasSynced() && classes.hasSynced());
  }

  @Override
  public void close() {
    runs.close();
    datasets.close();
    classes.close();
    if (toolServers != null) {
      toolServers.close();
    }
  }
}
