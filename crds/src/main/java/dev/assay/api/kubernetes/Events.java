package dev.assay.api.kubernetes;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/** Events of Kubernetes about an object, in its namespace. Pure. */
public final class Events {
  private Events() {}

  /**
   * An Event with a name of its own.
   *
   * @param about with kind, namespace, name and UID: {@code kubectl describe} finds it by these
   * @param component who reports it
   * @param type Normal or Warning
   * @param message 1,024 characters at most
   */
  public static Event of(
      ObjectReference about,
      String component,
      String type,
      String reason,
      String message,
      Instant now) {
    String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
    return new EventBuilder()
        .withNewMetadata()
        .withName("assay-" + UUID.randomUUID())
        .withNamespace(about.getNamespace())
        .endMetadata()
        .withInvolvedObject(about)
        .withType(type)
        .withReason(reason)
        .withMessage(message)
        .withNewSource()
        .withComponent(component)
        .endSource()
        .withFirstTimestamp(time)
        .withLastTimestamp(time)
        .withCount(1)
        .build();
  }
}
