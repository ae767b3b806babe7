package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

/**
 * Deletes one object and never a newer one of the same name: each deletion has the UID as a
 * precondition.
 */
public final class Deletions {
  private final KubernetesClient client;

  public Deletions(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Deletes a namespaced object; does nothing if it does not exist any more.
   *
   * @param graceSeconds the grace period of a Pod; the object's own when absent
   * @throws KubernetesClientException if the API server rejects the request or is unavailable
   */
  public void delete(HasMetadata object, @Nullable Long graceSeconds) {
    boolean unused = delete(object, graceSeconds, null);
  }

  /**
   * The same, unless the object has changed since it was read.
   *
   * @return whether it does not exist any more, or is being deleted
   * @throws KubernetesClientException as above
   */
  public boolean deleteUnchanged(HasMetadata object, @Nullable Long graceSeconds) {
    return delete(object, graceSeconds, object.getMetadata().getResourceVersion());
  }

  private boolean delete(
      HasMetadata object, @Nullable Long graceSeconds, @Nullable String resourceVersion) {
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withGracePeriodSeconds(graceSeconds)
            .withPropagationPolicy("Background")
            .withNewPreconditions()
            .withUid(object.getMetadata().getUid())
            .withResourceVersion(resourceVersion)
            .endPreconditions()
            .build();
    try {
      client.raw("/" + ApiPaths.of(object), "DELETE", options);
      return true;
    } catch (KubernetesClientException e) {
      if (ApiErrors.conflict(e)) {
        return false;
      }
      if (!ApiErrors.notFound(e)) {
        throw e;
      }
      return true;
    }
  }
}
