package dev.assay.operator.endpoint;

import dev.assay.operator.config.OperatorConfig.EndpointConfig;
import dev.assay.operator.output.OutputStore;
import dev.assay.operator.upload.Uploads;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Clock;
import java.util.concurrent.ExecutorService;

/** The internal endpoint with its certificate and its address. Runs on the leader only. */
public final class LeaderEndpoint implements AutoCloseable {
  private final InternalEndpoint endpoint;
  private final LeaderAddress address;

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
  }

  @Override
  public void close() {
    endpoint.close();
  }
}
