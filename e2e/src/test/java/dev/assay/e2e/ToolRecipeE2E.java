package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The recipe of docs/tool-servers.md for a server that speaks stdio, with the Containerfile and the
 * manifest of the page.
 */
@Full
@ClusterOnly("local mode starts such a server itself")
class ToolRecipeE2E {
  private static final Path PAGE = Path.of("../docs/tool-servers.md");
  private static final String IN_THE_PAGE = "registry.example.com/team/files-mcp:1.0.0";

  /** That dev/e2e has built. */
  private static final String IMAGE = "assay/stdio-server:dev";

  /** Those that values-dev.yaml allows the tool gateway to connect to. */
  private static final String NAMESPACE = "tools";

  private static final String ADDRESS = "198.19.0.88";

  private static final String SERVER = "files";

  /** Leaves a process without a parent, and ends when it was reaped. */
  private static final String ORPHAN =
      """
      orphan=$(sh -c 'sleep 0 > /dev/null & echo $!')
      while [ -e /proc/$orphan ]; do sleep 0.1; done
      """;

  private static final long PATIENCE_SECONDS = 150;

  private final Assay assay;
  private final KubernetesClient kubernetes;
  private final ToolServers servers;
  private final Namespace namespace =
      new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build();

  ToolRecipeE2E(Assay assay) {
    this.assay = assay;
    this.kubernetes = assay.kubernetes();
    this.servers = new ToolServers(assay);
  }

  @BeforeEach
  void apply() {
    remove();
    kubernetes.resource(namespace).create();
    List<HasMetadata> manifest = manifest();
    assertThat(manifest).hasSize(3);
    manifest.forEach(object -> kubernetes.resource(object).create());
    for (HasMetadata object : manifest) {
      if (object instanceof Deployment deployment) {
        kubernetes.resource(deployment).waitUntilReady(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    }
  }

  /** The objects of the page, with the image and the address of this cluster. */
  private List<HasMetadata> manifest() {
    String yaml =
        FencedBlock.of(PAGE).stream()
            .filter(block -> block.language().equals("yaml"))
            .map(FencedBlock::text)
            .filter(text -> text.contains("kind: Deployment"))
            .findFirst()
            .orElseThrow();
    assertThat(yaml).contains(IN_THE_PAGE);
    List<HasMetadata> objects =
        kubernetes
            .load(
                new ByteArrayInputStream(
                    yaml.replace(IN_THE_PAGE, IMAGE).getBytes(StandardCharsets.UTF_8)))
            .items();
    for (HasMetadata object : objects) {
      if (object instanceof Service service) {
        service.getSpec().setClusterIP(ADDRESS);
      }
    }
    return objects;
  }

  @AfterEach
  void remove() {
    servers.close();
    kubernetes.resource(namespace).delete();
    kubernetes
        .namespaces()
        .withName(NAMESPACE)
        .waitUntilCondition(Objects::isNull, PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void aServerInAPodIsCalledThroughItsBridge() {
    servers.connect(SERVER, URI.create("http://%s.%s.svc:8000/mcp".formatted(SERVER, NAMESPACE)));
    JsonNode value =
        Script.of(
                """
                ({
                  listed: call_tool('files', 'list_directory', {path: '/srv/files'}),
                  texts: call_tools([1, 2, 3].map(() => (
                      {server: 'files', tool: 'read_text_file', args: {path: '/srv/files/note.txt'}}))),
                  outside: call_tool('files', 'read_text_file', {path: '/etc/passwd'})
                })
                """)
            .value(assay);

    assertThat(value.path("listed").toString()).contains("\"ok\":true", "[FILE] note.txt");
    assertThat(value.path("texts")).hasSize(3);
    assertThat(value.path("texts"))
        .allSatisfy(
            outcome ->
                assertThat(outcome.toString())
                    .contains("\"ok\":true", "A file in the Pod of a tool server."));
    assertThat(value.at("/outside/error/code").asText()).isEqualTo("UPSTREAM_ERROR");
    assertThat(value.at("/outside/error/message").asText()).contains("Access denied");
  }

  @Test
  void orphansOfItsProgramsAreReaped() {
    Pod pod =
        kubernetes
            .pods()
            .inNamespace(NAMESPACE)
            .withLabel("app", SERVER)
            .resources()
            .findFirst()
            .orElseThrow()
            .require();
    try (ExecWatch shell =
        kubernetes
            .pods()
            .resource(pod)
            .writingOutput(OutputStream.nullOutputStream())
            .exec("sh", "-c", ORPHAN)) {
      assertThat(shell.exitCode().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join()).isZero();
    }
  }
}
