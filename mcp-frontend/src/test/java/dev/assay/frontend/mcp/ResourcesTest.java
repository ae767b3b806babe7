package dev.assay.frontend.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.RunArtifact;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Resources as a client of the protocol sees them. */
class ResourcesTest {
  private static final String CSV = "assay://runs/run-a/artifacts/artifacts/a.csv";

  private final TestEndpoint endpoint = new TestEndpoint();
  private final McpSyncClient client =
      McpClient.sync(
              HttpClientStreamableHttpTransport.builder(endpoint.url())
                  .requestBuilder(HttpRequest.newBuilder().header("X-API-Key", "alice-key"))
                  .build())
          .requestTimeout(Duration.ofMinutes(1))
          .build();

  @AfterEach
  void stop() {
    client.close();
    endpoint.close();
  }

  private void left(String run, String path, byte[] bytes, String mediaType) {
    endpoint.outputs.artifact("uid-1", 1, bytes);
    endpoint.runs.with(Fixtures.run(run, Fixtures.left(Fixtures.artifact(path, bytes, mediaType))));
  }

  private McpSchema.ResourceContents read(String uri) {
    return client
        .readResource(McpSchema.ReadResourceRequest.builder(uri).build())
        .contents()
        .getFirst();
  }

  private static void refused(ThrowingCallable call, int code, String message) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            McpError.class,
            error -> {
              assertThat(error.getJsonRpcError().code()).isEqualTo(code);
              assertThat(error.getJsonRpcError().message()).contains(message);
            });
  }

  @Test
  void theFormsOfAddressesAreListed() {
    assertThat(client.initialize().capabilities().resources()).isNotNull();
    assertThat(client.listResourceTemplates().resourceTemplates())
        .extracting(McpSchema.ResourceTemplate::uriTemplate)
        .containsExactly(
            "assay://runs/{run}/artifacts/{+path}",
            "assay://runs/{run}/code",
            "assay://runs/{run}/output");
  }

  @Test
  void whatARunLeftThatCalledToolsIsMarked() {
    left("run-a", "artifacts/a.csv", "a\n1\n".getBytes(UTF_8), "text/csv");
    assertThat(client.readResource(McpSchema.ReadResourceRequest.builder(CSV).build()).meta())
        .isNull();
    AnalyticsRun run = endpoint.runs.read("runs", "run-a").orElseThrow();
    run.setStatus(run.getStatus().withToolCalls(new ToolCallCounts(1, 0, 0)));
    endpoint.runs.with(run);

    assertThat(client.readResource(McpSchema.ReadResourceRequest.builder(CSV).build()).meta())
        .containsEntry("assay.dev/untrusted-content", true);
  }

  @Test
  void theArtifactsOfTheNewestRunsAreListed() {
    left("run-a", "artifacts/a.csv", "a\n1\n".getBytes(UTF_8), "text/csv");
    endpoint.runs.with(Fixtures.run("run-b", Fixtures.succeeded("nothing left")));

    assertThat(client.listResources().resources())
        .containsExactly(
            McpSchema.Resource.builder(CSV, "artifacts/a.csv")
                .description("Artifact of run-a")
                .mimeType("text/csv")
                .size(4L)
                .build());
  }

  @Test
  void aListOfManyRunsHasPagesThatShiftNothing() {
    RunArtifact one = Fixtures.artifact("a.txt", new byte[1], "text/plain");
    for (int i = 100; i < 145; i++) {
      endpoint.runs.with(Fixtures.run("run-" + i, Fixtures.left(one, one)));
    }
    List<String> found = new ArrayList<>();
    int pages = 0;
    String cursor = null;
    do {
      McpSchema.ListResourcesResult page = client.listResources(cursor);
      page.resources().forEach(resource -> found.add(resource.uri()));
      cursor = page.nextCursor();
      pages++;
      endpoint.runs.with(Fixtures.run("run-9" + pages, Fixtures.left(one)));
    } while (cursor != null);

    assertThat(pages).isEqualTo(3);
    assertThat(found).hasSize(90).startsWith("assay://runs/run-144/artifacts/a.txt");
  }

  @Test
  void aRunWithManyArtifactsEndsAPage() {
    RunArtifact[] many = new RunArtifact[128];
    for (int i = 0; i < many.length; i++) {
      many[i] = Fixtures.artifact("a" + i, new byte[0], "application/octet-stream");
    }
    endpoint.runs.with(Fixtures.run("run-1", Fixtures.left(many)));
    endpoint.runs.with(Fixtures.run("run-2", Fixtures.left(many)));

    McpSchema.ListResourcesResult first = client.listResources((String) null);
    McpSchema.ListResourcesResult second = client.listResources(first.nextCursor());

    assertThat(first.resources()).hasSize(128).allMatch(it -> it.uri().contains("run-2"));
    assertThat(second.resources()).hasSize(128).allMatch(it -> it.uri().contains("run-1"));
    assertThat(second.nextCursor()).isNull();
  }

  @Test
  void aCursorOfSomebodyElseIsRefused() {
    refused(() -> client.listResources("nonsense"), RpcError.INVALID_PARAMS, "'cursor' is not one");
  }

  @Test
  void textIsReadAsTextAndEverythingElseAsBytes() {
    left("run-a", "artifacts/a.csv", "a\nä\n".getBytes(UTF_8), "text/csv");
    assertThat(read(CSV))
        .isEqualTo(
            McpSchema.TextResourceContents.builder(CSV, "a\nä\n").mimeType("text/csv").build());

    byte[] escapes = "\u001b]0;owned\u0007".getBytes(UTF_8);
    left("run-a", "artifacts/a.csv", escapes, "text/csv");
    assertThat(read(CSV))
        .isEqualTo(
            McpSchema.BlobResourceContents.builder(CSV, Base64.getEncoder().encodeToString(escapes))
                .mimeType("text/csv")
                .build());

    byte[] parquet = {'P', 'A', 'R', '1', 0, -1};
    left("run-a", "artifacts/a.csv", parquet, "application/vnd.apache.parquet");
    assertThat(((McpSchema.BlobResourceContents) read(CSV)).blob())
        .isEqualTo(Base64.getEncoder().encodeToString(parquet));
  }

  @Test
  void theCodeAndTheOutputOfARunCanBeRead() {
    AnalyticsRun run = Fixtures.run("run-a", Fixtures.succeeded("printed\n"));
    endpoint.runs.with(run);

    assertThat(read("assay://runs/run-a/code"))
        .isEqualTo(
            McpSchema.TextResourceContents.builder("assay://runs/run-a/code", "pass")
                .mimeType("text/x-python")
                .build());
    assertThat(read("assay://runs/run-a/output"))
        .isEqualTo(
            McpSchema.TextResourceContents.builder("assay://runs/run-a/output", "printed\n")
                .mimeType("text/plain")
                .build());
  }

  @Test
  void aLongArtifactIsDownloadedByRest() {
    left("run-a", "artifacts/a.csv", new byte[65_537], "text/csv");

    refused(
        () -> read(CSV),
        RpcError.INVALID_PARAMS,
        "The artifact has 65537 bytes, and resources/read returns at most 65536: GET"
            + " /api/v1/runs/run-a/artifacts/artifacts/a.csv downloads it");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "assay://runs/run-b/code",
        "assay://runs/run-a/artifacts/../a.csv",
        "assay://runs/run-a/artifacts/b.csv",
        "file:///etc/passwd"
      })
  void whatIsNotThereIsNotFound(String uri) {
    left("run-a", "artifacts/a.csv", new byte[1], "text/csv");

    refused(() -> read(uri), RpcError.RESOURCE_NOT_FOUND, "no ");
  }

  @Test
  void anotherNamespaceIsNotSeen() {
    AnalyticsRun run =
        Fixtures.run("run-a", Fixtures.left(Fixtures.artifact("a.csv", new byte[1], "text/csv")));
    run.getMetadata().setNamespace("other");
    endpoint.runs.with(run);

    assertThat(client.listResources().resources()).isEmpty();
    refused(
        () -> read("assay://runs/run-a/artifacts/a.csv"),
        RpcError.RESOURCE_NOT_FOUND,
        "There is no run 'run-a' in your namespace");
  }

  @Test
  void anArtifactThatIsNotStoredAnyMoreIsNotFound() {
    left("run-a", "artifacts/a.csv", new byte[1], "text/csv");
    endpoint.runs.with(
        Fixtures.run(
            "run-a",
            Fixtures.left(
                Fixtures.artifact("other.csv", new byte[1], "text/csv"),
                Fixtures.artifact("artifacts/a.csv", new byte[1], "text/csv"))));

    refused(() -> read(CSV), RpcError.RESOURCE_NOT_FOUND, "is not stored any more");
    endpoint.outputs.reachable(false);
    refused(() -> read(CSV), RpcError.INVALID_PARAMS, "cannot be read now");
  }

  @Test
  void parametersOfAnotherTypeAreRefused() {
    assertThat(
            endpoint
                .post(
                    """
                    {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": 7}}""")
                .body())
        .contains("-32602", "'uri' must be the address of a resource");
    assertThat(
            endpoint
                .post(
                    """
                    {"jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": {"cursor": 7}}""")
                .body())
        .contains("-32602", "'cursor' must be a text");
  }
}
