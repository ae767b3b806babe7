package dev.assay.operator.kubernetes;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.RunClass;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.util.Collection;

/**
 * Whether what the leader watches can be read. A replica that does not lead watches none of it, and
 * would otherwise find out only when it has to lead that a CRD or a permission is missing.
 */
public final class WatchAccess {
  private static final ListOptions ONE = new ListOptionsBuilder().withLimit(1L).build();

  private WatchAccess() {}

  /**
   * Lists one object of each kind in each namespace.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if one of them cannot be read
   */
  public static void check(KubernetesClient client, Collection<String> namespaces) {
    read(client.resources(RunClass.class));
    for (String namespace : namespaces) {
      read(client.resources(AnalyticsRun.class).inNamespace(namespace));
      read(client.resources(Dataset.class).inNamespace(namespace));
      read(client.pods().inNamespace(namespace));
    }
  }

  private static void read(Listable<?> objects) {
    var unused = objects.list(ONE);
  }
}
