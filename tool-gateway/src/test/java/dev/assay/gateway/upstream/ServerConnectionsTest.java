package dev.assay.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Auth;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServerConnectionsTest {
  private static final Map<String, String> BOUND =
      Map.of("assay.dev/hosts", "http://127.0.0.1:1", "assay.dev/namespaces", "*");

  private static ToolServer server(long generation) {
    return Servers.of(
        Servers.spec("http://127.0.0.1:1/mcp").withAuth(new Auth("key", null, null)), generation);
  }

  private static ServerConnections of(
      ToolServer server, String secretVersion, Optional<ServerConnections> known)
      throws UpstreamException {
    return ServerConnections.of(
        server,
        name -> Optional.of(new Credential(secretVersion, BOUND, "token-" + secretVersion)),
        Servers.LOOPBACK,
        known);
  }

  @Test
  void theyAreThoseOfBeforeUntilSpecOrSecretChanges() throws Exception {
    ServerConnections first = of(server(1), "first", Optional.empty());
    assertThat(of(server(1), "first", Optional.of(first))).isSameAs(first);
    assertThat(of(server(2), "first", Optional.of(first)).version()).isNotEqualTo(first.version());
    ServerConnections second = of(server(1), "second", Optional.of(first));
    assertThat(second.version()).isNotEqualTo(first.version());
    assertThat(second.address().headers()).containsEntry("Authorization", "Bearer token-second");
    assertThat(second.scrub().of("token-second")).isEqualTo("[redacted]");
  }
}
