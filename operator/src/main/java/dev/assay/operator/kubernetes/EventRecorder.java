package dev.assay.operator.kubernetes;

import dev.assay.api.kubernetes.Events;
import dev.assay.operator.pod.PodText;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records what happens to an object as Kubernetes Events, for {@code kubectl describe}. Nothing
 * waits for an Event or depends on one: an Event that cannot be written is dropped.
 */
public final class EventRecorder {
  private static final Logger LOG = LoggerFactory.getLogger(EventRecorder.class);
  private static final String COMPONENT = "assay-operator";

  /** The API server's own limit. */
  private static final int MAX_MESSAGE = 1024;

  private static final int MAX_CONCURRENT = 256;

  private final KubernetesClient client;
  private final ExecutorService threads;
  private final Clock clock;
  private final Semaphore room = new Semaphore(MAX_CONCURRENT);

  public EventRecorder(KubernetesClient client, ExecutorService threads, Clock clock) {
    this.client = client;
    this.threads = threads;
    this.clock = clock;
  }

  /** Records an Event of type Normal. */
  public void normal(HasMetadata about, String reason, String message) {
    record(about, "Normal", reason, message);
  }

  /** Records an Event of type Warning. */
  public void warning(HasMetadata about, String reason, String message) {
    record(about, "Warning", reason, message);
  }

  private void record(HasMetadata about, String type, String reason, String message) {
    if (!room.tryAcquire()) {
      return;
    }
    Instant now = clock.instant();
    threads.execute(
        () -> {
          try {
            write(about, type, reason, message, now);
          } catch (RuntimeException e) {
            LOG.debug(
                "Event {} of {} was not written: {}",
                reason,
                about.getMetadata().getName(),
                e.toString());
          } finally {
            room.release();
          }
        });
  }

  private void write(HasMetadata about, String type, String reason, String message, Instant now) {
    ObjectReference of =
        new ObjectReferenceBuilder()
            .withApiVersion(about.getApiVersion())
            .withKind(about.getKind())
            .withNamespace(about.getMetadata().getNamespace())
            .withName(about.getMetadata().getName())
            .withUid(about.getMetadata().getUid())
            .build();
    client
        .v1()
        .events()
        .inNamespace(of.getNamespace())
        .resource(Events.of(of, COMPONENT, type, reason, PodText.line(message, MAX_MESSAGE), now))
        .create();
  }
}
