package dev.assay.api.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The namespaces that the informers of a program were not permitted to watch, as before their
 * RoleBindings exist: they must not keep the others from being served.
 */
public final class RefusedNamespaces {
  /** The key of an informer of the whole cluster, which nothing can be served without. */
  public static final String CLUSTER = "";

  private static final Logger LOG = LoggerFactory.getLogger(RefusedNamespaces.class);

  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  /** The list or watch of a namespace failed; its informer retries it. */
  public void onFailure(String namespace, Throwable failure) {
    LOG.warn("A watch failed and is retried: {}", failure.getMessage());
    if (!namespace.equals(CLUSTER) && isForbidden(failure)) {
      refused.add(namespace);
    }
  }

  /** Whether the permission to watch a namespace was missing; it may have been granted since. */
  public boolean isRefused(String namespace) {
    return refused.contains(namespace);
  }

  /**
   * Whether the caches of all informers but those of refused namespaces have been filled once, and
   * there is one that has.
   */
  public boolean hasSynced(Map<String, ? extends SharedIndexInformer<?>> informers) {
    return informers.values().stream().anyMatch(SharedIndexInformer::hasSynced)
        && informers.entrySet().stream()
            .allMatch(entry -> entry.getValue().hasSynced() || isRefused(entry.getKey()));
  }

  /** The informer wraps what the API server has answered. */
  private static boolean isForbidden(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof KubernetesClientException e
          && e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return true;
      }
    }
    return false;
  }
}
