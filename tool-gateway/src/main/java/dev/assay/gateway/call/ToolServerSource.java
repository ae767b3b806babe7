package dev.assay.gateway.call;

import dev.assay.api.v1alpha1.ToolServer;
import java.util.Optional;

/** The tool servers that there are. */
public interface ToolServerSource {
  /** Whether they have been read. Until then, none is found. */
  boolean isRead();

  /**
   * The tool server as it is now; empty if there is none of that name.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if that is not known
   */
  Optional<ToolServer> find(String namespace, String name);
}
