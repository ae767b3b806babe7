package dev.assay.operator.kubernetes;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;
import java.util.function.Function;

/**
 * Writes the status of a resource, and only on top of the version that the decision was made from.
 *
 * <p>A JSON patch that carries the resourceVersion: the API server answers 409 if the object has
 * changed, and the decision is made again from the fresh object.
 *
 * @param <R> kind of the resource
 * @param <S> its status
 */
public final class StatusWriter<S, R extends CustomResource<?, S>> {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_CONFLICTS = 20;

  private final KubernetesClient client;
  private final JsonPatcher patcher;
  private final Class<R> kind;

  public StatusWriter(KubernetesClient client, Class<R> kind) {
    this.client = client;
    this.patcher = new JsonPatcher(client);
    this.kind = kind;
  }

  /**
   * Changes a status.
   *
   * @param known the resource as far as it is known; may be stale
   * @param change from the resource as it is to its new status; empty to leave it
   * @return the resource after the write, or as it was found where {@code change} left it; empty
   *     where it is gone
   * @throws KubernetesClientException where the API server refuses or cannot be reached
   */
  public Optional<R> update(R known, Function<R, Optional<S>> change) {
    R current = known;
    for (int attempt = 0; attempt < MOST_CONFLICTS; attempt++) {
      Optional<S> status = change.apply(current);
      if (status.isEmpty()) {
        return Optional.of(current);
      }
      try {
        return Optional.of(patch(current, status.get()));
      } catch (KubernetesClientException e) {
        if (ApiErrors.notFound(e)) {
          return Optional.empty();
        }
        if (!ApiErrors.conflict(e)) {
          throw e;
        }
      }
      Optional<R> fresh = read(known);
      if (fresh.isEmpty()) {
        return fresh;
      }
      current = fresh.get();
    }
    throw new IllegalStateException(
        "The status of "
            + known.getMetadata().getName()
            + " changes faster than it can be written");
  }

  private R patch(R current, S status) {
    ArrayNode patch = JSON.createArrayNode();
    patch
        .addObject()
        .put("op", "replace")
        .put("path", "/metadata/resourceVersion")
        .put("value", current.getMetadata().getResourceVersion());
    patch
        .addObject()
        .put("op", "add")
        .put("path", "/status")
        .set("value", JSON.valueToTree(status));
    return patcher.patch(current, "status", patch);
  }

  private Optional<R> read(R known) {
    R fresh =
        client
            .resources(kind)
            .inNamespace(known.getMetadata().getNamespace())
            .withName(known.getMetadata().getName())
            .get();
    return fresh == null || !sameObject(fresh, known) ? Optional.empty() : Optional.of(fresh);
  }

  private static boolean sameObject(HasMetadata a, HasMetadata b) {
    return a.getMetadata().getUid().equals(b.getMetadata().getUid());
  }
}
