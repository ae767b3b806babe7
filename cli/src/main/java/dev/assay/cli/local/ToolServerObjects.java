package dev.assay.cli.local;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import dev.assay.api.v1alpha1.ToolServerSpec.Auth;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.api.v1alpha1.ToolServerSpec.Session;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.cli.local.McpServerEntry.Remote;
import dev.assay.cli.local.ServerHeaders.Credential;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/** The objects that a platform team would write for an MCP server. Pure. */
final class ToolServerObjects {
  private ToolServerObjects() {}

  /** A server that is reached by HTTP; its credential is only named. */
  static ToolServer remote(Remote entry) {
    Credential credential = entry.headers().credential();
    ToolServerSpecBuilder spec =
        spec(entry).url(entry.url()).protocol(entry.protocol()).headers(entry.headers().others());
    if (credential != null) {
      spec.auth(new Auth(secretName(entry), credential.header(), credential.prefix()));
    }
    return toolServer(entry.name(), spec.build());
  }

  /** A program that a bridge offers at a URL. */
  static ToolServer bridged(McpServerEntry entry, URI url) {
    return toolServer(entry.name(), spec(entry).url(url.toString()).build());
  }

  /** The credential of a server, which may be sent to that server only. */
  static Optional<Secret> secret(Remote entry) {
    return Optional.ofNullable(entry.headers().credential())
        .map(
            credential ->
                new SecretBuilder()
                    .withNewMetadata()
                    .withName(secretName(entry))
                    .withNamespace(LocalObjects.CREDENTIAL_NAMESPACE)
                    .withAnnotations(
                        Map.of(
                            ToolServer.HOSTS_ANNOTATION,
                            destination(URI.create(entry.url())),
                            ToolServer.NAMESPACES_ANNOTATION,
                            LocalObjects.RUN_NAMESPACE))
                    .endMetadata()
                    .withStringData(Map.of(ToolServer.SECRET_KEY, credential.value()))
                    .build());
  }

  private static String secretName(McpServerEntry entry) {
    return entry.name();
  }

  private static String destination(URI url) {
    boolean isPlain = !url.getScheme().equals("https");
    int port = url.getPort();
    if (port < 0) {
      port = isPlain ? 80 : 443;
    }
    return (isPlain ? "http://" : "") + url.getHost() + ":" + port;
  }

  private static ToolServerSpecBuilder spec(McpServerEntry entry) {
    return ToolServerSpecBuilder.builder()
        .protocol(Protocol.StreamableHttp)
        .approval(Approval.Baseline)
        .session(Session.Shared)
        .enabled(entry.enabled())
        .quarantined(entry.quarantined());
  }

  private static ToolServer toolServer(String name, ToolServerSpec spec) {
    ToolServer server = new ToolServer();
    server.setMetadata(
        new ObjectMetaBuilder().withName(name).withNamespace(LocalObjects.RUN_NAMESPACE).build());
    server.setSpec(spec);
    return server;
  }
}
