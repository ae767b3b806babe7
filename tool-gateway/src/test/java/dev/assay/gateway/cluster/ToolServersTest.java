package dev.assay.gateway.cluster;

import static dev.assay.gateway.Await.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.KindMapper;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec.Approval;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@EnableKubernetesMockClient(https = false, crud = true)
class ToolServersTest {
  /** Set by the extension. */
  private KubernetesClient client;

  @Test
  void serversOfANewerVersionAreListedAndWatched() {
    create("listed");
    try (KubernetesClient own =
            new KubernetesClientBuilder()
                .withConfig(client.getConfiguration())
                .withKubernetesSerialization(KindMapper.serialization())
                .build();
        ToolServers servers =
            new ToolServers(own, List.of("team"), System::nanoTime, (namespace, name) -> {})) {
      servers.start();
      await(servers::isRead);
      create("watched");
      await(() -> servers.find("team", "watched").isPresent());

      ToolServer listed = servers.find("team", "listed").orElseThrow();
      assertThat(listed.getSpec().approval()).isEqualTo(Approval.Unknown);
      assertThat(listed.understood()).isFalse();
    }
  }

  private void create(String name) {
    GenericKubernetesResource server =
        Serialization.unmarshal(
            """
            apiVersion: assay.dev/v1alpha1
            kind: ToolServer
            metadata: {name: NAME, namespace: team}
            spec: {url: "https://tools.example.com", approval: Vote, new: {a: 1}}
            """
                .replace("NAME", name),
            GenericKubernetesResource.class);
    var unused =
        client
            .genericKubernetesResources(
                ResourceDefinitionContext.fromResourceType(ToolServer.class))
            .inNamespace("team")
            .resource(server)
            .create();
  }
}
