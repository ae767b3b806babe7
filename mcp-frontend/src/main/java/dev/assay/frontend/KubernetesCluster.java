package dev.assay.frontend;

import dev.assay.frontend.cluster.ClusterDatasets;
import dev.assay.frontend.cluster.ClusterRunClasses;
import dev.assay.frontend.cluster.ClusterRuns;
import dev.assay.frontend.cluster.ClusterScripts;
import dev.assay.frontend.dataset.UploadRelay;
import dev.assay.frontend.run.OutputStore;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;

/** What the front end works on, in a cluster: watched from now on, until it is closed. */
public final class KubernetesCluster implements AutoCloseable {
  private final ClusterRuns runs;
  private final ClusterDatasets datasets;
  private final ClusterRunClasses classes;
  private final ClusterScripts scripts;

  public KubernetesCluster(KubernetesClient client, List<String> namespaces) {
    this.runs = new ClusterRuns(client, namespaces);
    this.datasets = new ClusterDatasets(client, namespaces);
    this.classes = new ClusterRunClasses(client);
    this.scripts = new ClusterScripts(client);
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
        () -> runs.hasSynced() && datasets.hasSynced() && classes.hasSynced());
  }

  @Override
  public void close() {
    runs.close();
    datasets.close();
    classes.close();
  }
}
