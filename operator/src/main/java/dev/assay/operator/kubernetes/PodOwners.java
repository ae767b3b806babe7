package dev.assay.operator.kubernetes;

import dev.assay.operator.pod.PodState;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.SecondaryToPrimaryMapper;
import io.javaoperatorsdk.operator.processing.event.source.informer.Mappers;
import java.util.Set;
import java.util.function.Consumer;

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

  @Override
  public Set<ResourceID> toPrimaryResourceIDs(Pod pod) {
    if (PodState.isEnding(pod)) {
      podEnded.accept(pod.getMetadata().getNamespace());
    }
    return owners.toPrimaryResourceIDs(pod);
  }
}
