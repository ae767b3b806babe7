package dev.assay.cli.local;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.kubelet.PodLogOptions;
import dev.assay.local.api.kubelet.PodLogs;
import dev.assay.local.kubelet.Kubelet;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The kubelet, which starts after the API server that asks it for logs, and after the front end
 * where Python is still being set up: Pods wait until then.
 */
final class LateKubelet implements PodLogs, AutoCloseable {
  private @Nullable Kubelet kubelet;
  private boolean closed;

  /** Starts it, unless local mode was closed meanwhile. */
  synchronized void start(Kubelet started) {
    if (closed) {
      started.close();
      return;
    }
    kubelet = started;
    started.start();
  }

  @Override
  public InputStream open(ObjectNode pod, PodLogOptions options) {
    Kubelet now = current();
    return (now == null ? PodLogs.NONE : now).open(pod, options);
  }

  private synchronized @Nullable Kubelet current() {
    return kubelet;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (kubelet != null) {
      kubelet.close();
    }
  }
}
