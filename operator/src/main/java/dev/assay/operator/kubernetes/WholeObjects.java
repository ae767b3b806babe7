package dev.assay.operator.kubernetes;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.KindMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Optional;

/**
 * Reads objects with all fields, including those that {@link CacheSerialization} leaves out of the
 * caches.
 */
public final class WholeObjects {
  private static final KubernetesSerialization WHOLE = KindMapper.serialization();

  private final KubernetesClient client;
  private final NewRuns newRuns;

  public WholeObjects(KubernetesClient client) {
    this.client = client;
    this.newRuns =
        client.getKubernetesSerialization() instanceof CacheSerialization light
            ? light.newRuns()
            : new NewRuns();
  }

  /**
   * Reads the current object.
   *
   * @return empty if it does not exist any more, even if a newer one has its name
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the API server rejects the
   *     request or is unavailable
   */
  public <R extends HasMetadata> Optional<R> read(R known) {
    return read(known, "");
  }

  /**
   * Reads an object that is at least as new as this one, for what does not change: the API server
   * takes it from its memory, and not from etcd.
   *
   * @return empty as above
   * @throws io.fabric8.kubernetes.client.KubernetesClientException as above
   */
  public <R extends HasMetadata> Optional<R> readAtLeast(R known) {
    return read(known, "?resourceVersion=" + known.getMetadata().getResourceVersion());
  }

  /**
   * A run with its texts, which never change: as the watch brought them with the new run, once, or
   * else as {@link #readAtLeast} reads them.
   *
   * @return empty if the run was deleted, as far as that was looked at
   * @throws io.fabric8.kubernetes.client.KubernetesClientException as above
   */
  public Optional<AnalyticsRun> withTexts(AnalyticsRun known) {
    return newRuns.take(known).map(spec -> with(known, spec)).or(() -> readAtLeast(known));
  }

  private static AnalyticsRun with(AnalyticsRun known, AnalyticsRunSpec spec) {
    AnalyticsRun whole = new AnalyticsRun();
    whole.setMetadata(known.getMetadata());
    whole.setSpec(spec);
    whole.setStatus(known.getStatus());
    return whole;
  }

  private <R extends HasMetadata> Optional<R> read(R known, String query) {
    String json = client.raw("/" + ApiPaths.of(known) + query);
    if (json == null) {
      return Optional.empty();
    }
    @SuppressWarnings("unchecked")
    Class<R> kind = (Class<R>) known.getClass();
    return Optional.of(WHOLE.unmarshal(json, kind))
        .filter(found -> found.getMetadata().getUid().equals(known.getMetadata().getUid()));
  }

  /**
   * Reads the object of the same kind and namespace that has a name.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException as above
   */
  public <R extends HasMetadata> Optional<R> sibling(R known, String name) {
    @SuppressWarnings("unchecked")
    Class<R> kind = (Class<R>) known.getClass();
    String own = ApiPaths.of(known);
    String json = client.raw("/" + own.substring(0, own.lastIndexOf('/') + 1) + name);
    return json == null ? Optional.empty() : Optional.of(WHOLE.unmarshal(json, kind));
  }
}
