package dev.assay.gateway.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.gateway.Await;
import dev.assay.gateway.SetClock;
import dev.assay.gateway.upstream.Credential;
import dev.assay.gateway.upstream.Servers;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@EnableKubernetesMockClient(crud = true)
class CredentialSecretsTest {
  /** Set by the extension. */
  private KubernetesClient client;

  private void put(String namespace, String token) {
    var secrets = client.secrets().inNamespace(namespace);
    secrets.withName("key").delete();
    secrets
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withName("key")
                .withAnnotations(Map.of(ToolServer.HOSTS_ANNOTATION, "example.com"))
                .endMetadata()
                .addToData(
                    ToolServer.SECRET_KEY,
                    Base64.getEncoder().encodeToString(token.getBytes(UTF_8)))
                .build())
        .create();
  }

  @Test
  void aSecretIsReadFromTheOneNamespaceAndAgainAfterHalfAMinute() {
    SetClock clock = new SetClock();
    CredentialSecrets secrets = new CredentialSecrets(client, "credentials", clock);
    put("elsewhere", "other");
    assertThat(secrets.read("key")).isEmpty();
    put("credentials", "first\n");
    assertThat(secrets.read("key").orElseThrow().token()).isEqualTo("first");
    put("credentials", "second");
    assertThat(secrets.read("key").orElseThrow().token()).isEqualTo("first");
    clock.pass(Duration.ofSeconds(31));
    Credential credential = secrets.read("key").orElseThrow();
    assertThat(credential.token()).isEqualTo("second");
    assertThat(credential.annotations()).containsEntry(ToolServer.HOSTS_ANNOTATION, "example.com");
    assertThat(credential).asString().doesNotContain("second");
  }

  @Test
  void toolServersOfTheNamespacesAreKnownAndTheirChangesReported() {
    List<String> changes = new CopyOnWriteArrayList<>();
    try (ToolServers servers =
        new ToolServers(
            client,
            List.of(Servers.NAMESPACE),
            System::nanoTime,
            (namespace, name) -> changes.add(namespace + "/" + name))) {
      servers.start();
      Await.await(servers::isRead);
      client.resource(Servers.of(Servers.spec("https://example.com/mcp"))).create();
      Await.await(() -> servers.find(Servers.NAMESPACE, "tools").isPresent());
      assertThat(servers.find("elsewhere", "tools")).isEmpty();
      assertThat(changes).isEmpty();
      var known =
          client.resources(ToolServer.class).inNamespace(Servers.NAMESPACE).withName("tools");
      known.edit(
          server -> {
            server.setSpec(server.getSpec().withQuarantined(true));
            return server;
          });
      Await.await(() -> changes.size() == 1);
      assertThat(servers.find(Servers.NAMESPACE, "tools").orElseThrow().getSpec().inQuarantine())
          .isTrue();
      known.delete();
      Await.await(() -> servers.find(Servers.NAMESPACE, "tools").isEmpty());
      Await.await(() -> changes.size() == 2);
    }
  }
}
