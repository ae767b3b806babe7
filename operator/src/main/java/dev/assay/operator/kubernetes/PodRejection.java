package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;

/** Why the API server did not create a Pod. */
public enum PodRejection {
  /** The namespace's quota is used up: the Pod waits in the queue. */
  NO_ROOM,

  /** An admission policy or a missing permission, which does not affect other Pods: retry. */
  FORBIDDEN,

  /** The Pod is invalid: a retry cannot succeed. */
  INVALID,

  /** Not the Pod's fault: the reconcile fails and is retried. */
  OTHER;

  /** When to retry a Pod that was {@link #FORBIDDEN}. */
  public static final Duration FORBIDDEN_RETRY = Duration.ofSeconds(10);

  /** Classifies the response to the creation of a Pod. */
  public static PodRejection of(KubernetesClientException e) {
    if (ApiErrors.quotaExceeded(e)) {
      return NO_ROOM;
    }
    if (ApiErrors.forbidden(e)) {
      return FORBIDDEN;
    }
    return ApiErrors.invalid(e) ? INVALID : OTHER;
  }
}
