package dev.assay.gateway;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.gateway.call.CallTable;
import dev.assay.gateway.call.Calls;
import dev.assay.gateway.call.ToolServerSource;
import dev.assay.gateway.config.GatewayConfig;
import dev.assay.gateway.http.GatewayEndpoint;
import dev.assay.gateway.metrics.UpstreamMetrics;
import dev.assay.gateway.upstream.ListMemory;
import dev.assay.gateway.upstream.ReplyMemory;
import dev.assay.gateway.upstream.Servers;
import dev.assay.gateway.upstream.Upstreams;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/** The gateway as a process of its own, put together as it is in a cluster, but without one. */
final class GatewayProcess {
  private GatewayProcess() {}

  /**
   * Prints its port, and serves until its input ends.
   *
   * @param args the URL of all tool servers, to which each appends its namespace and name
   */
  public static void main(String[] args) throws IOException {
    Main.closeIdleConnectionsEarly();
    Clock clock = Clock.systemUTC();
    HeapShares heap = HeapShares.of(Runtime.getRuntime().maxMemory());
    Upstreams upstreams =
        new Upstreams(
            name -> Optional.empty(),
            Servers.LOOPBACK,
            new ReplyMemory(heap.replies()),
            new ListMemory(heap.lists()),
            clock);
    ToolServerSource servers = servers(args[0]);
    CallTable table = new CallTable(heap.outcomes(), clock);
    GatewayEndpoint endpoint =
        new GatewayEndpoint(
            new GatewayConfig(
                List.of(), "credentials", "127.0.0.1", 0, 0, null, "", List.of(), null, null),
            authorization -> true,
            servers,
            upstreams,
            new Calls(servers, upstreams, table, UpstreamMetrics.unread(), clock),
            table);
    endpoint.start();
    System.out.println(endpoint.address().getPort());
    while (System.in.read() >= 0) {
      // Whoever has started it is there.
    }
    System.exit(0);
  }

  private static ToolServerSource servers(String url) {
    return new ToolServerSource() {
      @Override
      public boolean isRead() {
        return true;
      }

      @Override
      public Optional<ToolServer> find(String namespace, String name) {
        ToolServer server = Servers.of(Servers.spec(url + namespace + "/" + name));
        server.setMetadata(
            new ObjectMetaBuilder(server.getMetadata())
                .withNamespace(namespace)
                .withName(name)
                .withUid(namespace + "-" + name)
                .build());
        return Optional.of(server);
      }
    };
  }
}
