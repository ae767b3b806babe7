package dev.assay.operator.kubernetes;

import dev.assay.api.v1alpha1.MemberPatch;
import dev.assay.api.v1alpha1.VersionedKind;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Writes the status of a resource, and only if the resource is still at the version that the
 * decision is based on.
 *
 * <p>Sends a JSON patch of the members that change, with the resourceVersion: if the object has
 * changed, the API server returns 409, or 422 where the patch does not apply to what it is now, and
 * the decision is repeated with the current object. An object that this version does not understand
 * is not written.
 *
 * @param <R> kind of the resource
 * @param <S> its status
 */
public final class StatusWriter<S, R extends CustomResource<?, S>> {
  private static final int MAX_CONFLICTS = 20;

  private final KubernetesClient client;
  private final JsonPatcher patcher;
  private final Class<R> kind;
  private final BiConsumer<R, R> written;

  public StatusWriter(KubernetesClient client, Class<R> kind) {
    this(client, kind, (before, after) -> {});
  }

  /**
   * Writes statuses, and has each write observed.
   *
   * @param written called with the resource before and after a write; must not throw
   */
  public StatusWriter(KubernetesClient client, Class<R> kind, BiConsumer<R, R> written) {
    this.client = client;
    this.patcher = new JsonPatcher(client);
    this.kind = kind;
    this.written = written;
  }

  /**
   * Changes a status.
   *
   * @param known the resource as known to the caller; may be stale
   * @param change computes the new status from the current resource; empty for no change
   * @return the resource after the write, or as it was read if {@code change} returned empty; empty
   *     if the resource does not exist any more
   * @throws KubernetesClientException if the API server rejects the request or is unavailable
   */
  public Optional<R> update(R known, Function<R, Optional<S>> change) {
    R current = known;
    for (int attempt = 0; attempt < MAX_CONFLICTS; attempt++) {
      if (current instanceof VersionedKind kind && !kind.understood()) {
        return Optional.of(current);
      }
      Optional<S> status = change.apply(current);
      if (status.isEmpty()) {
        return Optional.of(current);
      }
      KubernetesClientException refusal;
      try {
        R after = patch(current, status.get());
        written.accept(current, after);
        return Optional.of(after);
      } catch (KubernetesClientException e) {
        if (ApiErrors.notFound(e)) {
          return Optional.empty();
        }
        if (!ApiErrors.conflict(e) && !ApiErrors.invalid(e)) {
          throw e;
        }
        refusal = e;
      }
      Optional<R> fresh = read(known);
      if (fresh.isEmpty()) {
        return fresh;
      }
      if (ApiErrors.invalid(refusal) && isSameVersion(fresh.get(), current)) {
        throw refusal;
      }
      current = fresh.get();
    }
    throw new IllegalStateException(
        "The status of "
            + known.getMetadata().getName()
            + " could not be written: too many conflicts");
  }

  private R patch(R current, S status) {
    return patcher.patch(
        current,
        "status",
        MemberPatch.deep(
            current.getMetadata().getResourceVersion(), "/status", current.getStatus(), status));
  }

  private Optional<R> read(R known) {
    String namespace = known.getMetadata().getNamespace();
    String name = known.getMetadata().getName();
    R fresh =
        namespace == null
            ? client.resources(kind).withName(name).get()
            : client.resources(kind).inNamespace(namespace).withName(name).get();
    return fresh == null || !sameObject(fresh, known) ? Optional.empty() : Optional.of(fresh);
  }

  private static boolean isSameVersion(HasMetadata a, HasMetadata b) {
    return a.getMetadata().getResourceVersion().equals(b.getMetadata().getResourceVersion());
  }

  private static boolean sameObject(HasMetadata a, HasMetadata b) {
    return a.getMetadata().getUid().equals(b.getMetadata().getUid());
  }
}
