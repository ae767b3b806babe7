package dev.assay.operator.tool;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.operator.config.OperatorConfig.ToolGatewayConfig;
import dev.assay.operator.kubernetes.EventRecorder;
import dev.assay.operator.output.RunOutputs;
import dev.assay.operator.runner.Binding;
import dev.assay.operator.runner.RunnerClient;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls of tools that the code of runs makes. Where there is no tool gateway, none is sent. */
public final class ToolCalls implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ToolCalls.class);

  private final ToolCallServices services;
  private final @Nullable HttpGatewayClient gateway;
  private final @Nullable ToolServerReconciler servers;

  ToolCalls(ToolCallServices services) {
    this.services = services;
    this.gateway = null;
    this.servers = null;
  }

  /**
   * Creates what calls tools; nothing is connected to yet.
   *
   * @param config null if there is no tool gateway
   */
  public ToolCalls(
      @Nullable ToolGatewayConfig config,
      KubernetesClient client,
      RunnerClient runners,
      RunOutputs outputs,
      EventRecorder events,
      ProgramMetrics metrics,
      ExecutorService threads,
      Clock clock) {
    this.gateway = config == null ? null : new HttpGatewayClient(config);
    this.servers =
        gateway == null
            ? null
            : new ToolServerReconciler(client, gateway, outputs.definitions(), events, clock);
    this.services =
        new ToolCallServices(
            Optional.ofNullable(gateway),
            servers == null ? ToolServers.NONE : servers,
            outputs,
            runners,
            new CallMetrics(metrics),
            threads,
            clock);
  }

  /** Keeps the statuses of tool servers; empty if there is no tool gateway. */
  public Optional<ToolServerReconciler> servers() {
    return Optional.ofNullable(servers);
  }

  /**
   * Removes the definitions of tools that no tool server of the namespace has anymore; must be
   * called on the leader only, when the caches are complete.
   *
   * @throws IOException if they cannot be removed now
   */
  public void removeDefinitions(String namespace) throws IOException {
    if (servers != null) {
      servers.removeDefinitions(namespace);
    }
  }

  /** Starts to look for the gateway. */
  public void start() {
    if (gateway != null) {
      gateway.start();
    }
  }

  /**
   * The calls of a run that is followed.
   *
   * @param binding where their outcomes are delivered
   * @param deadline when the run ends at the latest
   */
  public RunToolCalls ofRun(
      Binding binding, String namespace, String runUid, RunToolPolicy policy, Instant deadline) {
    return new RunToolCalls(services, binding, namespace, runUid, policy, deadline);
  }

  /**
   * How many calls a run has made that ends and is not followed; empty if it has made none, perhaps
   * because it could not, and if that is unknown now.
   */
  public Optional<ToolCallCounts> counts(String namespace, String runUid) {
    return closing(namespace, runUid)
        .counts()
        .filter(counts -> !counts.equals(ToolCallCounts.NONE));
  }

  /** A run has ended that was not followed: records that, and has the gateway forget it. */
  public void end(String namespace, String runUid) {
    CallClosing closing = closing(namespace, runUid);
    try {
      closing.endAll();
      closing.flush();
      closing.closeAtGateway();
    } catch (IOException e) {
      LOG.warn("The records of tool calls of run {} may be incomplete: {}", runUid, e.toString());
    }
  }

  private CallClosing closing(String namespace, String runUid) {
    return new CallClosing(services, new CallLog(services.outputs(), namespace, runUid), runUid);
  }

  @Override
  public void close() {
    if (gateway != null) {
      gateway.close();
    }
  }
}
