package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Optional;

/** Reads objects with all that {@link CacheSerialization} leaves out of the caches. */
public final class WholeObjects {
  private final KubernetesClient client;

  public WholeObjects(KubernetesClient client) {
    this.client = client;
  }

  /**
   * The object as it is now.
   *
   * @return empty where it is gone, and another one of its name may have taken its place
   * @throws io.fabric8.kubernetes.client.KubernetesClientException where the API server refuses or
   *     cannot be reached
   */
  public <R extends HasMetadata> Optional<R> read(R known) {
    String json = client.raw("/" + ApiPaths.of(known));
    if (json == null) {
      return Optional.empty();
    }
    @SuppressWarnings("unchecked")
    Class<R> kind = (Class<R>) known.getClass();
    return Optional.of(Serialization.unmarshal(json, kind))
        .filter(found -> found.getMetadata().getUid().equals(known.getMetadata().getUid()));
  }
}
