package dev.assay.frontend.cluster;

import static dev.assay.api.kubernetes.RefusedNamespaces.CLUSTER;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.frontend.run.RunClasses;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** RunClasses, through one informer for the cluster. */
public final class ClusterRunClasses implements RunClasses, AutoCloseable {
  private final InformedObjects<RunClass> classes;

  /** Starts watching. */
  public ClusterRunClasses(KubernetesClient client) {
    this.classes =
        new InformedObjects<>(
                RunClass.class, Map.of(CLUSTER, client.resources(RunClass.class)), LightCopies::of)
            .start();
  }

  /** Whether the caches have been filled once. */
  public boolean hasSynced() {
    return classes.hasSynced();
  }

  @Override
  public Optional<RunClass> find(String className) {
    return classes.find(null, className);
  }

  @Override
  public List<RunClass> all() {
    return classes.list(CLUSTER);
  }

  @Override
  public void close() {
    classes.close();
  }
}
