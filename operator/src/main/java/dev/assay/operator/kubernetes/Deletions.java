package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

/**
 * Deletes one object and never another that has taken its name meanwhile: each deletion carries the
 * UID as a precondition.
 */
public final class Deletions {
  private final KubernetesClient client;

  public Deletions(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Deletes an object of a namespace; one that is gone already is left.
   *
   * @param graceSeconds of a Pod; the object's own when absent
   * @throws KubernetesClientException where the API server refuses or cannot be reached
   */
  public void delete(HasMetadata object, @Nullable Long graceSeconds) {
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withGracePeriodSeconds(graceSeconds)
            .withPropagationPolicy("Background")
            .withNewPreconditions()
            .withUid(object.getMetadata().getUid())
            .endPreconditions()
            .build();
    try {
      client.raw("/" + ApiPaths.of(object), "DELETE", options);
    } catch (KubernetesClientException e) {
      if (!ApiErrors.notFound(e) && !ApiErrors.conflict(e)) {
        throw e;
      }
    }
  }
}
