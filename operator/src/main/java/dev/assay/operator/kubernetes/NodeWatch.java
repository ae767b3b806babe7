package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the cordoned nodes. The API server selects them, so that the cache is empty most of the
 * time, and heartbeats of the others are not sent. Without the permission no node counts as
 * cordoned; it is requested again, in case it is granted.
 */
public final class NodeWatch implements Nodes, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);

  private final SharedIndexInformer<Node> cordoned;
  private final AtomicBoolean reported = new AtomicBoolean();

  /** Starts to watch, and does not wait for the first answer. */
  public NodeWatch(KubernetesClient client) {
    cordoned =
        client
            .nodes()
            .withField("spec.unschedulable", "true")
            .withLimit(Pages.SIZE)
            .runnableInformer(0);
    cordoned.exceptionHandler(
        (started, failure) -> {
          reportIfForbidden(failure);
          return true;
        });
    var unused = cordoned.start();
  }

  @Override
  public boolean isCordoned(String name) {
    // What a watch that has ended saw last may be wrong by now, and would be so for good.
    if (!cordoned.isWatching()) {
      return false;
    }
    Node node = cordoned.getStore().getByKey(name);
    return node != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable());
  }

  private void reportIfForbidden(Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    if (cause instanceof KubernetesClientException e
        && ApiErrors.forbidden(e)
        && reported.compareAndSet(false, true)) {
      LOG.warn(
          "Nodes cannot be watched, so that idle Pods on a cordoned node stay until it is drained:"
              + " {}",
          ApiErrors.message(e));
    }
  }

  @Override
  public void close() {
    cordoned.close();
  }
}
