package dev.assay.operator.endpoint;

import dev.assay.operator.config.OperatorConfig.EndpointConfig;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Clock;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The internal endpoint with its certificate and its address. Runs on the leader only. */
public final class LeaderEndpoint implements AutoCloseable {
  private static final long INTERVAL_SECONDS = 5;

  private final InternalEndpoint endpoint;
  private final LeaderAddress address;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("leader-address").factory());

  /** Creates the certificate if there is none; does not listen yet. */
  public LeaderEndpoint(
      EndpointConfig config,
      KubernetesClient client,
      String namespace,
      OutputStore outputs,
      Uploads uploads,
      ExecutorService threads,
      Clock clock) {
    var tls = new ServerCertificate(client, namespace, config.serviceName(), clock).readOrCreate();
    this.endpoint = new InternalEndpoint(config, tls, client, outputs, uploads, threads, clock);
    this.address = new LeaderAddress(client, namespace, config);
  }

  /**
   * Listens, and routes the Service to this replica.
   *
   * @throws IOException if the port cannot be bound
   */
  public void serve(String podIp) throws IOException {
    endpoint.start();
    address.publish(podIp);
    var unused =
        timer.scheduleWithFixedDelay(
            () -> address.restore(podIp), INTERVAL_SECONDS, INTERVAL_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    endpoint.close();
  }
}
