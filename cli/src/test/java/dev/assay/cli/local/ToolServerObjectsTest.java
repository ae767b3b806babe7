package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Protocol;
import dev.assay.cli.local.McpServerEntry.Remote;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolServerObjectsTest {
  private static Remote remote(String url, Map<String, String> headers) {
    return new Remote("store", true, true, url, Protocol.Sse, ServerHeaders.of(headers));
  }

  @Test
  void aCredentialIsInTheSecretAndNowhereElse() {
    Remote entry =
        remote(
            "https://example.com/mcp",
            Map.of("Authorization", "Bearer secret-token", "X-Team", "blue"));

    ToolServer server = ToolServerObjects.remote(entry);
    Secret secret = ToolServerObjects.secret(entry).orElseThrow();
    assertThat(Serialization.asJson(server)).doesNotContain("secret-token");
    assertThat(server.getSpec().auth().prefix()).isEqualTo("Bearer ");
    assertThat(server.getSpec().auth().secretName()).isEqualTo(secret.getMetadata().getName());
    assertThat(server.getSpec().headerList()).hasToString("[Header[name=X-Team, value=blue]]");
    assertThat(server.getSpec().inQuarantine()).isTrue();
    assertThat(secret.getStringData()).containsExactly(Map.entry("token", "secret-token"));
    assertThat(secret.getMetadata().getNamespace()).isEqualTo("assay-tool-credentials");
  }

  @ParameterizedTest
  @CsvSource({
    "https://example.com/mcp, example.com:443",
    "http://localhost/mcp, http://localhost:80",
    "http://[::1]:8000/mcp, http://[::1]:8000",
  })
  void aCredentialIsSentToItsServerOnly(String url, String host) {
    Secret secret =
        ToolServerObjects.secret(remote(url, Map.of("X-Key", "secret-key"))).orElseThrow();

    assertThat(secret.getMetadata().getAnnotations())
        .containsEntry("assay.dev/hosts", host)
        .containsEntry("assay.dev/namespaces", "assay-runs");
  }

  @Test
  void aServerWithoutACredentialHasNoSecret() {
    Remote entry = remote("http://localhost/", Map.of());

    assertThat(ToolServerObjects.secret(entry)).isEmpty();
    assertThat(ToolServerObjects.remote(entry).getSpec().auth()).isNull();
  }
}
