package dev.assay.cli.local;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.cli.MachineException;
import dev.assay.cli.client.PrivateFile;
import dev.assay.cli.local.McpServerEntry.Program;
import dev.assay.cli.local.McpServerEntry.Remote;
import dev.assay.cli.stdio.StdioBridge;
import dev.assay.cli.stdio.StdioCommand;
import dev.assay.gateway.ToolGateway;
import dev.assay.gateway.config.GatewayConfig;
import dev.assay.operator.config.OperatorConfig.ToolGatewayConfig;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * The tool gateway in this process, with the servers of the file of settings as the objects that it
 * reads. Programs that speak stdio are offered to it by a bridge, so that it knows HTTP only.
 */
final class LocalToolGateway implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";

  /** Whoever writes the settings names servers of this machine and of the networks it is in. */
  private static final List<String> ALLOWED =
      List.of(
          "127.0.0.0/8",
          "::1",
          "10.0.0.0/8",
          "172.16.0.0/12",
          "192.168.0.0/16",
          "100.64.0.0/10",
          "fc00::/7");

  private final KubernetesClient client;
  private final Path tokenFile;
  private final ToolGateway gateway;
  private final StdioBridge bridge;

  /**
   * Binds its ports, and serves nothing yet.
   *
   * @param tokenFile where the operator reads the token
   */
  LocalToolGateway(KubernetesClient client, Path tokenFile, GatewayToken token, Clock clock)
      throws IOException {
    this.client = client;
    this.tokenFile = PrivateFile.write(tokenFile, token.token().value());
    this.gateway =
        new ToolGateway(
            new GatewayConfig(
                List.of(LocalObjects.RUN_NAMESPACE),
                LocalObjects.CREDENTIAL_NAMESPACE,
                LOOPBACK,
                0,
                0,
                null,
                GatewayToken.AUDIENCE,
                List.of(GatewayToken.OPERATOR),
                ALLOWED,
                null),
            client,
            ProgramMetrics.unread(),
            clock);
    this.bridge = new StdioBridge();
  }

  /** What the operator has to know of it. */
  ToolGatewayConfig forOperator() {
    return new ToolGatewayConfig(LOOPBACK, gateway.address().getPort(), null, tokenFile.toString());
  }

  /**
   * Serves, and creates the objects of servers. No program is started before it is needed.
   *
   * @throws MachineException naming the server that a field cannot be used of
   */
  void start(List<McpServerEntry> servers) throws MachineException {
    gateway.start();
    bridge.start();
    for (McpServerEntry server : servers) {
      try {
        offer(server);
      } catch (KubernetesClientException e) {
        throw new MachineException(
            McpServerEntries.FIELD + "." + server.name() + ": " + e.getStatus().getMessage(), e);
      }
    }
  }

  private void offer(McpServerEntry server) {
    switch (server) {
      case Remote remote -> {
        ToolServerObjects.secret(remote).ifPresent(this::create);
        create(ToolServerObjects.remote(remote));
      }
      case Program program ->
          create(
              ToolServerObjects.bridged(
                  program,
                  bridge.offer(
                      program.name(),
                      new StdioCommand(
                          program.command(), program.environment(), program.directory()))));
    }
  }

  private void create(HasMetadata object) {
    client.resource(object).create();
  }

  @Override
  public void close() {
    try {
      gateway.close();
    } finally {
      // Programs outlive this process otherwise.
      bridge.close();
    }
  }
}
