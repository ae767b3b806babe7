package dev.assay.e2e;

import dev.assay.api.v1alpha1.ToolApproval;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerPhase;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.api.v1alpha1.ToolServerSpec.Session;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.api.v1alpha1.ToolServerStatus;
import dev.assay.api.v1alpha1.ToolServerStatus.ToolState;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** ToolServers that a scenario declares, as the platform team does, and deletes at its end. */
final class ToolServers implements AutoCloseable {
  private static final long LONGEST_SECONDS = 120;

  private final Assay assay;
  private final Set<String> declared = new LinkedHashSet<>();
  private final Set<String> secrets = new LinkedHashSet<>();

  ToolServers(Assay assay) {
    this.assay = assay;
  }

  /** Declares a server, and waits until its tools are listed. */
  ToolServerStatus connect(String name, URI url) {
    return connect(name, spec(url).build());
  }

  /** The same with more of a spec. */
  ToolServerStatus connect(String name, ToolServerSpec spec) {
    declare(name, spec);
    return awaitPhase(name, ToolServerPhase.Connected);
  }

  /** Declares a server; one of that name, from an interrupted test run, is deleted before. */
  void declare(String name, ToolServerSpec spec) {
    delete(name);
    ToolServer server = new ToolServer();
    server.setMetadata(
        new ObjectMetaBuilder().withName(name).withNamespace(assay.namespace()).build());
    server.setSpec(spec);
    declared.add(name);
    assay.kubernetes().resource(server).create();
  }

  /** The spec of a server with an address, and the defaults of the API otherwise. */
  static ToolServerSpecBuilder spec(URI url) {
    return ToolServerSpecBuilder.builder()
        .url(url.toString())
        .protocol(Protocol.StreamableHttp)
        .approval(Approval.Baseline)
        .session(Session.Shared);
  }

  /** Changes the spec of a server. */
  void edit(String name, UnaryOperator<ToolServerSpec> change) {
    resource(name)
        .edit(
            server -> {
              server.setSpec(change.apply(server.getSpec()));
              return server;
            });
  }

  /**
   * Stores a credential that may be sent to a server without TLS.
   *
   * @return the name of the Secret
   */
  String credential(String name, String token, URI url) {
    Secret secret =
        new SecretBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(assay.installation().credentialNamespace())
            .addToAnnotations(ToolServer.HOSTS_ANNOTATION, "http://" + url.getAuthority())
            .addToAnnotations(ToolServer.NAMESPACES_ANNOTATION, assay.namespace())
            .endMetadata()
            .addToStringData(ToolServer.SECRET_KEY, token)
            .build();
    secrets.add(name);
    secret(name).delete();
    assay.kubernetes().resource(secret).create();
    return name;
  }

  ToolServerStatus awaitPhase(String name, ToolServerPhase phase) {
    return await(name, status -> status.phase() == phase);
  }

  /** Waits until a server is unavailable for a cause: after an installation, the gateway may be. */
  String awaitUnavailable(String name, String cause) {
    return await(
            name,
            status ->
                status.phase() == ToolServerPhase.Unavailable
                    && String.valueOf(status.message()).contains(cause))
        .message();
  }

  /** Waits until a tool of a server is approved or not. */
  ToolState awaitApproval(String name, String tool, ToolApproval approval) {
    return tool(
        await(
            name,
            status ->
                status.toolList().stream()
                    .anyMatch(state -> state.name().equals(tool) && state.approval() == approval)),
        tool);
  }

  /** The state of a tool. */
  static ToolState tool(ToolServerStatus status, String name) {
    return status.toolList().stream()
        .filter(state -> state.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no tool " + name + " in " + status));
  }

  /** The status that a server has now. */
  ToolServerStatus status(String name) {
    return status(resource(name).get());
  }

  /** Waits until the status of a server fits. */
  ToolServerStatus await(String name, Predicate<ToolServerStatus> fits) {
    try {
      return status(
          resource(name)
              .waitUntilCondition(
                  server -> server != null && fits.test(status(server)),
                  LONGEST_SECONDS,
                  TimeUnit.SECONDS));
    } catch (KubernetesClientTimeoutException e) {
      throw new AssertionError("The status of " + name + " is " + status(name), e);
    }
  }

  private static ToolServerStatus status(@Nullable ToolServer server) {
    ToolServerStatus status = server == null ? null : server.getStatus();
    return status == null ? ToolServerStatus.EMPTY : status;
  }

  private Resource<ToolServer> resource(String name) {
    return assay
        .kubernetes()
        .resources(ToolServer.class)
        .inNamespace(assay.namespace())
        .withName(name);
  }

  private Resource<Secret> secret(String name) {
    return assay
        .kubernetes()
        .secrets()
        .inNamespace(assay.installation().credentialNamespace())
        .withName(name);
  }

  private void delete(String name) {
    resource(name).delete();
    resource(name).waitUntilCondition(Objects::isNull, LONGEST_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    declared.forEach(this::delete);
    secrets.forEach(name -> secret(name).delete());
  }
}
