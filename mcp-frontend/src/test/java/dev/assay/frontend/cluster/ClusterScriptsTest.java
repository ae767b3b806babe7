package dev.assay.frontend.cluster;

import static dev.assay.frontend.Await.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.ToolServer;
import dev.assay.api.v1alpha1.ToolServerSpec;
import dev.assay.api.v1alpha1.ToolServerSpecBuilder;
import dev.assay.frontend.script.StoredScript;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Against fabric8's mock of the API server. */
@EnableKubernetesMockClient(https = false, crud = true)
class ClusterScriptsTest {
  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesClient client;

  @SuppressWarnings("NullAway.Init") // Set by the extension.
  KubernetesMockServer server;

  @Test
  void scriptsAreEntriesOfLabelledConfigMapsAndOnlyTheOneThatIsWantedHasItsCode() {
    configMap(
        "team",
        Map.of("assay.dev/scripts", ""),
        Map.of("b.ts", "2", "a.b.js", "1", ".js", "0", "n", "-", "c.ts", "5"));
    configMap("other", Map.of("assay.dev/scripts", "yes"), Map.of("b.js", "3"));
    configMap("kube-root-ca.crt", Map.of(), Map.of("ca.js", "4"));

    assertThat(new ClusterScripts(client).list("runs", "b"))
        .containsExactly(
            new StoredScript("a.b", Language.JAVASCRIPT, "team", null),
            new StoredScript("b", Language.JAVASCRIPT, "other", null),
            new StoredScript("b", Language.TYPESCRIPT, "team", null),
            new StoredScript("c", Language.TYPESCRIPT, "team", null));
    assertThat(new ClusterScripts(client).list("runs", "c"))
        .contains(new StoredScript("c", Language.TYPESCRIPT, "team", "5"));
    assertThat(new ClusterScripts(client).list("elsewhere", "b")).isEmpty();
  }

  @Test
  void namesAreListedOnceForManyCallsAndCodeIsReadForEach() throws Exception {
    configMap("team", Map.of("assay.dev/scripts", ""), Map.of("a.js", "1"));
    configMap("other", Map.of("assay.dev/scripts", ""), Map.of("b.js", "2"));
    ClusterScripts scripts = new ClusterScripts(client, Duration.ofHours(1));
    int before = server.getRequestCount();

    try (ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<List<StoredScript>>> same =
          Collections.nCopies(20, () -> scripts.list("runs", ""));
      for (Future<List<StoredScript>> call : calls.invokeAll(same)) {
        assertThat(call.get()).hasSize(2);
      }
    }

    assertThat(server.getRequestCount() - before).isEqualTo(1);
    client
        .configMaps()
        .inNamespace("runs")
        .withName("team")
        .edit(found -> new ConfigMapBuilder(found).withData(Map.of("a.js", "changed")).build());
    assertThat(scripts.list("runs", "a"))
        .contains(new StoredScript("a", Language.JAVASCRIPT, "team", "changed"));
    var unused = client.configMaps().inNamespace("runs").withName("team").delete();
    assertThat(scripts.list("runs", "a"))
        .as("it was deleted meanwhile")
        .extracting(StoredScript::name)
        .containsExactly("b");
  }

  @Test
  void aScriptThatWasStoredSinceTheListIsFound() {
    configMap("team", Map.of("assay.dev/scripts", ""), Map.of("a.js", "1"));
    ClusterScripts scripts = new ClusterScripts(client, Duration.ofHours(1));
    assertThat(scripts.list("runs", "a")).hasSize(1);

    configMap("other", Map.of("assay.dev/scripts", ""), Map.of("b.ts", "2"));
    assertThat(scripts.list("runs", "b"))
        .contains(new StoredScript("b", Language.TYPESCRIPT, "other", "2"));

    client
        .configMaps()
        .inNamespace("runs")
        .withName("other")
        .edit(found -> new ConfigMapBuilder(found).withData(Map.of("b.js", "3")).build());
    assertThat(scripts.list("runs", "b"))
        .as("its language has changed")
        .contains(new StoredScript("b", Language.JAVASCRIPT, "other", "3"));
  }

  @Test
  void theCacheOfToolServersHasNoHeadersAndNoCredentials() {
    ToolServer server = new ToolServer();
    server.setMetadata(new ObjectMetaBuilder().withNamespace("runs").withName("github").build());
    server.setSpec(
        ToolServerSpecBuilder.builder()
            .url("https://example.com/mcp")
            .protocol(ToolServerSpec.Protocol.StreamableHttp)
            .approval(ToolServerSpec.Approval.Baseline)
            .session(ToolServerSpec.Session.Shared)
            .auth(new ToolServerSpec.Auth("secret", null, null))
            .headers(List.of(new ToolServerSpec.Header("X-A", "b")))
            .build());
    try (ClusterToolServers servers = new ClusterToolServers(client, List.of("runs"))) {
      var unused = client.resource(server).create();
      await(() -> !servers.list("runs").isEmpty());

      ToolServerSpec kept = servers.list("runs").getFirst().getSpec();
      assertThat(kept.approval()).isEqualTo(ToolServerSpec.Approval.Baseline);
      assertThat(kept.auth()).isNull();
      assertThat(kept.headers()).isNull();
      assertThat(servers.list("elsewhere")).isEmpty();
    }
  }

  private void configMap(String name, Map<String, String> labels, Map<String, String> data) {
    var unused =
        client
            .resource(
                new ConfigMapBuilder()
                    .withNewMetadata()
                    .withNamespace("runs")
                    .withName(name)
                    .withLabels(labels)
                    .endMetadata()
                    .withData(data)
                    .build())
            .create();
  }
}
