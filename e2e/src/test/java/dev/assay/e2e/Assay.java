package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetName;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.DatasetStatus;
import dev.assay.api.v1alpha1.VolumeSource;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.ResourceContents;
import io.modelcontextprotocol.spec.McpSchema.ResourceTemplate;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An installed Assay, from the perspective of an agent and a cluster administrator. */
final class Assay implements AutoCloseable {
  /** The tool that most scenarios are about. */
  static final String TOOL = "execute_custom_analytics_code";

  private static final Duration LONGEST_CALL = Duration.ofMinutes(3);

  private final Installation installation;
  private final KubernetesClient kubernetes;
  private final Runnable end;
  private @Nullable McpSyncClient mcp;

  /**
   * Creates a client of an installation.
   *
   * @param end stops the installation, if the test run owns it
   */
  Assay(Installation installation, Runnable end) {
    this.installation = installation;
    this.end = end;
    this.kubernetes = new KubernetesClientBuilder().withConfig(installation.kubernetes()).build();
  }

  Installation installation() {
    return installation;
  }

  String namespace() {
    return installation.namespace();
  }

  Rest rest() {
    return new Rest(installation);
  }

  /** The output of kubectl in the run namespace; it must succeed. */
  String kubectl(String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = "-n";
    all[1] = namespace();
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return Programs.kubectl(all).orFail();
  }

  KubernetesClient kubernetes() {
    return kubernetes;
  }

  /** The logs of a run's Pod, and on a cluster of Assay's own Pods. */
  List<String> logs(Pod runPod) {
    List<Pod> pods = new ArrayList<>(List.of(runPod));
    if (installation.cluster() != null) {
      pods.addAll(kubernetes.pods().inNamespace(installation.systemNamespace()).list().getItems());
    }
    return pods.stream()
        .flatMap(
            pod ->
                pod.getSpec().getContainers().stream()
                    .map(
                        container ->
                            kubernetes
                                .pods()
                                .resource(pod)
                                .inContainer(container.getName())
                                .getLog()))
        .toList();
  }

  /** Runs code over a dataset. */
  Reply run(String dataset, String code) {
    return call(TOOL, Map.of("dataset_name", dataset, "python_code", code));
  }

  /** Runs code over a dataset with a time limit of its own. */
  Reply run(String dataset, String code, int timeoutSeconds) {
    return call(
        TOOL,
        Map.of("dataset_name", dataset, "python_code", code, "timeout_seconds", timeoutSeconds));
  }

  /** Calls a tool; a protocol error is returned as a reply. */
  Reply call(String tool, Map<String, Object> arguments) {
    long began = System.nanoTime();
    try {
      return Reply.of(
          client().callTool(CallToolRequest.builder(tool).arguments(arguments).build()),
          since(began));
    } catch (McpError refusal) {
      return Reply.refused(refusal.getMessage(), since(began));
    }
  }

  /** Reads a resource of MCP. */
  ResourceContents read(String uri) {
    return client().readResource(ReadResourceRequest.builder(uri).build()).contents().getFirst();
  }

  /** The addresses of the newest resources. */
  List<String> resources() {
    List<String> uris = new ArrayList<>();
    String cursor = null;
    do {
      McpSchema.ListResourcesResult page = client().listResources(cursor);
      page.resources().forEach(resource -> uris.add(resource.uri()));
      cursor = page.nextCursor();
    } while (cursor != null);
    return uris;
  }

  /** The forms of the addresses of resources. */
  List<String> resourceTemplates() {
    return client().listResourceTemplates().resourceTemplates().stream()
        .map(ResourceTemplate::uriTemplate)
        .toList();
  }

  /** Runs the command {@code assay} against this installation. */
  Programs.Finished program(String... arguments) {
    String endpoint = installation.endpoint().toString();
    return Programs.run(
        AssayProgram.with(arguments).command(),
        "",
        Map.of(
            "ASSAY_ENDPOINT",
            endpoint.substring(0, endpoint.length() - "/mcp".length()),
            "ASSAY_API_KEY",
            installation.key()));
  }

  List<Tool> tools() {
    return client().listTools().tools();
  }

  /** A request to the endpoint as plain HTTP, with the key. */
  HttpRequest.Builder request() {
    return HttpRequest.newBuilder(installation.endpoint())
        .header("Authorization", "Bearer " + installation.key())
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream");
  }

  /** Posts a body to the endpoint with the key. */
  HttpResponse<String> post(String body) {
    HttpRequest request =
        request().timeout(LONGEST_CALL).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  MixedOperation<AnalyticsRun, KubernetesResourceList<AnalyticsRun>, Resource<AnalyticsRun>>
      runs() {
    return kubernetes.resources(AnalyticsRun.class);
  }

  /** Ensures that a dataset with these bytes exists and is Ready. */
  void inlineDataset(String name, DatasetFormat format, String text) {
    createDataset(name, null, DatasetSource.inline(format, text));
    awaitReady(name);
  }

  /** Ensures that a dataset from the volume {@code shared} exists and is Ready. */
  void volumeDataset(String name, DatasetFormat format, String path) {
    createDataset(name, null, DatasetSource.volume(format, null, new VolumeSource("shared", path)));
    awaitReady(name);
  }

  /**
   * Uploads a CSV file as the source of a dataset, which is Ready on return.
   *
   * @return the path of its snapshot on the snapshot volume
   */
  String uploadCsv(String name, String csv) {
    var answer = rest().upload(name + "?format=csv&wait=true", BodyPublishers.ofString(csv));
    assertThat(Rest.json(answer).path("phase").asText()).as(answer.body()).isEqualTo("Ready");
    return Objects.requireNonNull(awaitSettled(name).snapshot()).path();
  }

  /** Synchronized, for scenarios of local mode run side by side and share datasets. */
  synchronized void createDataset(String name, @Nullable String className, DatasetSource source) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(
        new ObjectMetaBuilder()
            .withName(DatasetName.toResourceName(name))
            .withNamespace(namespace())
            .build());
    dataset.setSpec(
        DatasetSpecBuilder.builder()
            .displayName(name)
            .className(className == null ? "snapshot" : className)
            .source(source)
            .build());
    Resource<Dataset> resource = dataset(name);
    Dataset existing = resource.get();
    if (existing == null) {
      kubernetes.resource(dataset).create();
    } else if (!dataset.getSpec().equals(existing.getSpec())) {
      resource.edit(
          found -> {
            found.setSpec(dataset.getSpec());
            return found;
          });
    }
  }

  /** The status of a dataset once its newest source is Ready or Failed. */
  DatasetStatus awaitSettled(String name) {
    return awaitSettled(name, 120);
  }

  DatasetStatus awaitSettled(String name, long mostSeconds) {
    return status(
        dataset(name).waitUntilCondition(Assay::isSettled, mostSeconds, TimeUnit.SECONDS));
  }

  /** Returns once the dataset exists, loaded or not. */
  CompletableFuture<?> awaitAnnounced(String name) {
    return dataset(name)
        .informOnCondition(found -> !found.isEmpty())
        .orTimeout(2, TimeUnit.MINUTES);
  }

  /** Deletes a dataset, if it exists, and waits until it is deleted. */
  void deleteDataset(String name) {
    deleteDatasets(List.of(name));
  }

  void deleteDatasets(Collection<String> names) {
    names.forEach(name -> dataset(name).delete());
    names.forEach(name -> dataset(name).waitUntilCondition(Objects::isNull, 2, TimeUnit.MINUTES));
  }

  private Resource<Dataset> dataset(String name) {
    return kubernetes
        .resources(Dataset.class)
        .inNamespace(namespace())
        .withName(DatasetName.toResourceName(name));
  }

  private void awaitReady(String name) {
    DatasetStatus status = awaitSettled(name);
    if (status.phase() != DatasetPhase.Ready) {
      throw new AssertionError("dataset " + name + " did not load: " + status.message());
    }
  }

  private static boolean isSettled(@Nullable Dataset dataset) {
    DatasetStatus status = status(dataset);
    return dataset != null
        && Objects.equals(status.observedGeneration(), dataset.getMetadata().getGeneration())
        && (status.phase() == DatasetPhase.Ready || status.phase() == DatasetPhase.Failed);
  }

  private static DatasetStatus status(@Nullable Dataset dataset) {
    DatasetStatus status = dataset == null ? null : dataset.getStatus();
    return status == null ? DatasetStatus.EMPTY : status;
  }

  private synchronized McpSyncClient client() {
    McpSyncClient open = mcp;
    if (open == null) {
      open = connect(installation.key());
      mcp = open;
    }
    return open;
  }

  /** A new connection of the official Java client. */
  McpSyncClient connect(String key) {
    URI endpoint = installation.endpoint();
    McpSyncClient client =
        McpClient.sync(
                HttpClientStreamableHttpTransport.builder(endpoint.resolve("/").toString())
                    .endpoint(endpoint.getPath())
                    .requestBuilder(
                        HttpRequest.newBuilder().header("Authorization", "Bearer " + key))
                    .build())
            .requestTimeout(LONGEST_CALL)
            .build();
    client.initialize();
    return client;
  }

  private static Duration since(long began) {
    return Duration.ofNanos(System.nanoTime() - began);
  }

  @Override
  public synchronized void close() {
    if (mcp != null) {
      mcp.close();
    }
    kubernetes.close();
    end.run();
  }
}
