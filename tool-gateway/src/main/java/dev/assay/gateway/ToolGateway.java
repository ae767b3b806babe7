package dev.assay.gateway;

import dev.assay.api.authentication.CallerReview;
import dev.assay.api.http.HealthEndpoint;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.gateway.address.AddressRules;
import dev.assay.gateway.address.GuardedNames;
import dev.assay.gateway.call.CallTable;
import dev.assay.gateway.call.Calls;
import dev.assay.gateway.cluster.CredentialSecrets;
import dev.assay.gateway.cluster.ToolServers;
import dev.assay.gateway.config.GatewayConfig;
import dev.assay.gateway.http.GatewayEndpoint;
import dev.assay.gateway.metrics.UpstreamMetrics;
import dev.assay.gateway.upstream.ListMemory;
import dev.assay.gateway.upstream.ReplyMemory;
import dev.assay.gateway.upstream.Upstreams;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;

/** The gateway, put together; the caller owns the process and the client. */
public final class ToolGateway implements AutoCloseable {
  private final Upstreams upstreams;
  private final ToolServers servers;
  private final GatewayEndpoint endpoint;
  private final HealthEndpoint health;

  /**
   * Binds its ports, and serves nothing yet.
   *
   * @param metrics of the process, also of the client
   * @throws IOException if a port cannot be bound
   */
  public ToolGateway(
      GatewayConfig config, KubernetesClient client, ProgramMetrics metrics, Clock clock)
      throws IOException {
    GuardedNames.verify();
    GuardedNames.reserve(client.getMasterUrl().getHost());
    HeapShares heap = HeapShares.of(Runtime.getRuntime().maxMemory());
    this.upstreams =
        new Upstreams(
            new CredentialSecrets(client, config.credentialNamespace(), clock),
            new AddressRules(config.allowedRanges(), config.deniedRanges()),
            new ReplyMemory(heap.replies()),
            new ListMemory(heap.lists()),
            clock);
    this.servers =
        new ToolServers(client, config.namespaces(), System::nanoTime, upstreams::retire);
    CallTable table = new CallTable(heap.outcomes(), clock);
    UpstreamMetrics calls = new UpstreamMetrics(metrics, table::inFlight);
    CallerReview callers =
        new CallerReview(client, config.audience(), config.allowedServiceAccounts(), clock);
    this.endpoint =
        new GatewayEndpoint(
            config,
            callers::acceptsHeader,
            servers,
            upstreams,
            new Calls(servers, upstreams, table, calls, clock),
            table);
    this.health =
        new HealthEndpoint(
            config.listenAddress(config.healthPort()),
            () -> true,
            () -> servers.isRead() && !endpoint.isDraining(),
            metrics::text);
  }

  /** Starts to watch and to serve. */
  public void start() {
    servers.start();
    endpoint.start();
  }

  /** Where it serves the operator. */
  public InetSocketAddress address() {
    return endpoint.address();
  }

  /** Where it serves health and metrics. */
  public InetSocketAddress healthAddress() {
    return health.address();
  }

  /** Takes no more calls, and waits for those that are being made. */
  public void drain(Duration atMost) throws InterruptedException {
    endpoint.drain(atMost);
  }

  @Override
  public void close() {
    endpoint.close();
    health.close();
    servers.close();
    upstreams.close();
  }
}
