package dev.assay.cli.local;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.kubelet.PodLogOptions;
import dev.assay.local.api.kubelet.PodLogs;
import java.io.InputStream;

/** The API server is there before the one that it asks for logs. */
final class LateKubelet implements PodLogs {
  private volatile PodLogs logs = PodLogs.NONE;

  void is(PodLogs kubelet) {
    logs = kubelet;
  }

  @Override
  public InputStream open(ObjectNode pod, PodLogOptions options) {
    return logs.open(pod, options);
  }
}
