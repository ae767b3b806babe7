package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import org.jspecify.annotations.Nullable;

/** Classifies error responses of the API server. */
public final class ApiErrors {
  private ApiErrors() {}

  public static boolean notFound(KubernetesClientException e) {
    return e.getCode() == HttpURLConnection.HTTP_NOT_FOUND;
  }

  /** An object of that name exists already. */
  public static boolean alreadyExists(KubernetesClientException e) {
    return e.getCode() == HttpURLConnection.HTTP_CONFLICT && "AlreadyExists".equals(reason(e));
  }

  /** The object was changed since it was read. */
  public static boolean conflict(KubernetesClientException e) {
    return e.getCode() == HttpURLConnection.HTTP_CONFLICT && !alreadyExists(e);
  }

  /** A quota, an admission policy or a missing permission. */
  public static boolean forbidden(KubernetesClientException e) {
    return e.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
  }

  /** The quota is exceeded. */
  public static boolean quotaExceeded(KubernetesClientException e) {
    return forbidden(e) && message(e).contains("exceeded quota");
  }

  /** The object itself is invalid; a retry cannot succeed. */
  public static boolean invalid(KubernetesClientException e) {
    return e.getCode() == 422 || e.getCode() == HttpURLConnection.HTTP_BAD_REQUEST;
  }

  /** The request was refused before anything was done, which a timeout does not tell. */
  public static boolean refused(KubernetesClientException e) {
    return e.getCode() >= HttpURLConnection.HTTP_BAD_REQUEST
        && e.getCode() < HttpURLConnection.HTTP_INTERNAL_ERROR
        && e.getCode() != HttpURLConnection.HTTP_CLIENT_TIMEOUT;
  }

  /** The API server's own message. */
  public static String message(KubernetesClientException e) {
    String fromStatus = e.getStatus() == null ? null : e.getStatus().getMessage();
    return fromStatus != null ? fromStatus : "HTTP " + e.getCode();
  }

  private static @Nullable String reason(KubernetesClientException e) {
    return e.getStatus() == null ? null : e.getStatus().getReason();
  }
}
