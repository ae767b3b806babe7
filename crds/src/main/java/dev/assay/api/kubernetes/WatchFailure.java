package dev.assay.api.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;

/** Why the list or watch of an informer failed. */
public final class WatchFailure {
  private WatchFailure() {}

  /** Whether the permission is missing, as before a RoleBinding exists. */
  public static boolean isRefusal(Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return cause instanceof KubernetesClientException e
        && e.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
  }
}
