package dev.assay.frontend.toolserver;

import dev.assay.api.v1alpha1.ToolServer;
import java.util.List;

/** The platform team's tool servers. */
@FunctionalInterface
public interface ToolServers {
  /** There are none. */
  ToolServers NONE = namespace -> List.of();

  /** Those of a namespace, from the cache, in no order. */
  List<ToolServer> list(String namespace);
}
