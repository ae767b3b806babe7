package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What Kubernetes reports about a Pod in Events only, such as a volume that cannot be mounted. */
public final class PodEvents {
  private final KubernetesClient client;

  public PodEvents(KubernetesClient client) {
    this.client = client;
  }

  /** The latest warning about a Pod, as {@code reason: message}; empty if there is none. */
  public Optional<String> lastWarning(Pod pod) {
    try {
      List<Event> warnings = new ArrayList<>();
      Pages.forEach(
          client
              .v1()
              .events()
              .inNamespace(pod.getMetadata().getNamespace())
              .withField("involvedObject.uid", pod.getMetadata().getUid())
              .withField("type", "Warning"),
          warnings::add);
      return warnings.stream()
          .max(Comparator.comparing(PodEvents::time))
          .map(event -> event.getReason() + ": " + event.getMessage());
    } catch (KubernetesClientException e) {
      // Only a detail of a message is lost.
      return Optional.empty();
    }
  }

  private static String time(Event event) {
    return event.getLastTimestamp() == null ? "" : event.getLastTimestamp();
  }
}
