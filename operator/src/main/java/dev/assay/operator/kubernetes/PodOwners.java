package dev.assay.operator.kubernetes;

import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import io.javaoperatorsdk.operator.processing.event.source.informer.Mappers;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Maps each Pod that an informer reports to its owners, and calls back for the namespace of each
 * that has terminated or is being deleted.
 */
public final class PodOwners implements SecondaryToPrimaryMapper<Pod> {
  private final SecondaryToPrimaryMapper<Pod> owners;
  private volatile Consumer<String> podEnded = namespace -> {};

  /** Maps to owners of one kind. */
  public PodOwners(Class<? extends HasMetadata> kind) {
    this.owners = Mappers.fromOwnerReferences(kind);
  }

  /** Sets the callback. */
  public void onPodEnded(Consumer<String> namespace) {
    podEnded = namespace;
  }

  /**
   * The object that owns a Pod; empty if the Pod only says so by its label.
   *
   * @param uidLabel the label with the UID of the owner
   * @param cache of the kind of the owner
   */
  public static <R extends HasMetadata> Optional<R> owner(
      Pod pod, String uidLabel, Function<ResourceID, Optional<R>> cache) {
    String uid = pod.getMetadata().getLabels().get(uidLabel);
    return pod.getMetadata().getOwnerReferences().stream()
        .filter(owner -> owner.getUid().equals(uid))
        .map(owner -> new ResourceID(owner.getName(), pod.getMetadata().getNamespace()))
        .flatMap(id -> cache.apply(id).stream())
        .filter(owner -> owner.getMetadata().getUid().equals(uid))
        .findFirst();
  }

  @Override
  public Set<ResourceID> toPrimaryResourceIDs(Pod pod) {
    if (PodState.isEnding(pod)) {
      podEnded.accept(pod.getMetadata().getNamespace());
    }
    return owners.toPrimaryResourceIDs(pod);
  }
}
