package dev.assay.operator.tool;

import dev.assay.api.v1alpha1.ToolServer;
import java.util.Optional;

/** The tool servers of the run namespaces, from a cache. */
interface ToolServers {
  /** None, where there is no tool gateway. */
  ToolServers NONE =
      new ToolServers() {
        @Override
        public Optional<ToolServer> find(String namespace, String name) {
          return Optional.empty();
        }

        @Override
        public void lookAgain(String namespace, String name) {}
      };

  /** A tool server; empty if the cache has none with this name. */
  Optional<ToolServer> find(String namespace, String name);

  /** What the server lists may have changed. */
  void lookAgain(String namespace, String name);
}
