package dev.assay.frontend;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.frontend.toolserver.ToolServers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Tool servers, as a test says. */
public final class FakeToolServers implements ToolServers {
  private final List<ToolServer> servers = new CopyOnWriteArrayList<>();

  public FakeToolServers with(ToolServer server) {
    servers.add(server);
    return this;
  }

  @Override
  public List<ToolServer> list(String namespace) {
    return servers.stream()
        .filter(server -> namespace.equals(server.getMetadata().getNamespace()))
        .toList();
  }
}
