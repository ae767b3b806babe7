package dev.assay.frontend.cluster;

import dev.assay.frontend.run.Text;
import dev.assay.frontend.watch.ClusterException;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls of the API server, with failures in words that a caller may read. */
final class Api {
  static final int CONFLICT = HttpURLConnection.HTTP_CONFLICT;
  static final int NOT_FOUND = HttpURLConnection.HTTP_NOT_FOUND;
  private static final int FORBIDDEN = HttpURLConnection.HTTP_FORBIDDEN;
  private static final int UNAUTHORIZED = HttpURLConnection.HTTP_UNAUTHORIZED;
  private static final int INVALID = 422;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final Logger log = LoggerFactory.getLogger(Api.class);

  private Api() {}

  static <T> T call(Supplier<T> request) {
    try {
      return request.get();
    } catch (KubernetesClientException e) {
      throw translate(e);
    }
  }

  static ClusterException translate(KubernetesClientException e) {
    Status status = e.getStatus();
    if (status == null || e.getCode() < 400 || e.getCode() >= 500) {
      log.warn("the Kubernetes API failed: {}", e.getMessage());
      return ClusterException.unavailable(e);
    }
    if (e.getCode() == TOO_MANY_REQUESTS) {
      log.warn("the Kubernetes API is overloaded: {}", e.getMessage());
      return ClusterException.overloaded(e);
    }
    if (e.getCode() == UNAUTHORIZED) {
      log.error("the Kubernetes API does not accept our credentials: {}", e.getMessage());
      return ClusterException.misconfigured(e);
    }
    String said = status.getMessage() == null ? "" : status.getMessage();
    boolean fitForCallers =
        e.getCode() == INVALID
            || (e.getCode() == FORBIDDEN
                && (said.contains("denied") || said.contains("exceeded quota")));
    if (!fitForCallers) {
      log.error("the Kubernetes API refused a request: {}", said);
    }
    return ClusterException.refused(
        fitForCallers
            ? "the cluster refused it: " + Text.oneLine(said, 1000)
            : "the cluster refused it (" + e.getCode() + "); the platform team can see why",
        e);
  }
}
