package dev.assay.local.kubelet;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the API was told of one Pod, so that nothing is written twice. */
final class PodReport {
  private static final Logger LOG = LoggerFactory.getLogger(PodReport.class);
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;

  private final PodApi api;
  private final Clock clock;
  private @Nullable PodStatus written;
  private boolean deletionConfirmed;

  PodReport(PodApi api, Clock clock) {
    this.api = api;
    this.clock = clock;
  }

  /**
   * Writes what has changed.
   *
   * @param deleted whether the Pod was to be deleted and has ended
   * @return whether there is nothing left to write
   */
  boolean write(Pod pod, PodStatuses.Facts facts, boolean deleted) {
    try {
      PodStatus status = PodStatuses.of(facts, written, clock.instant());
      if (!status.equals(written)) {
        api.writeStatus(pod, status);
        written = status;
      }
      if (deleted && !deletionConfirmed) {
        api.confirmDeletion(pod);
        deletionConfirmed = true;
      }
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == NOT_FOUND || e.getCode() == CONFLICT) {
        // It is gone, which the watch will tell too.
        return true;
      }
      LOG.warn("The status of Pod {} was not written", pod.getMetadata().getName(), e);
      return false;
    }
  }
}
