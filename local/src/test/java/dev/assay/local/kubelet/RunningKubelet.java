package dev.assay.local.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.LocalApiServer;
import dev.assay.local.api.kubelet.PodLogOptions;
import dev.assay.local.isolation.ContainerRuntime;
import dev.assay.local.isolation.Isolation;
import dev.assay.local.isolation.PythonInterpreter;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An API server and a kubelet that runs its Pods. */
final class RunningKubelet implements AutoCloseable {
  static final String NAMESPACE = "runs";
  static final String IMAGE = "python:test";
  static final String CLAIM = "data";
  static final String READ_ONLY_CLAIM = "read-only";

  private static final int TIMEOUT_SECONDS = 60;

  private final Path directory;
  private final LocalApiServer server;
  private final KubernetesClient client;
  private final Kubelet kubelet;

  /** With the Python of this machine as the only image. */
  RunningKubelet(Isolation isolation, Path directory) throws IOException {
    this(isolation, directory, PythonInterpreter.find("python3"), List.of(), Pods.COMMAND);
  }

  /**
   * With another Python.
   *
   * @param paths what it needs besides what it knows itself
   * @param serving the command that may serve
   */
  RunningKubelet(
      Isolation isolation,
      Path directory,
      PythonInterpreter python,
      List<Path> paths,
      List<String> serving)
      throws IOException {
    this.directory = directory;
    this.server = new LocalApiServer(LocalApiServer.Settings.defaults());
    server.start();
    this.client = new KubernetesClientBuilder().withConfig(server.clientConfig()).build();
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
    Images.Image image =
        new Images.Image(
            python.executable(),
            Stream.concat(python.readOnlyPaths().stream(), paths.stream()).toList(),
            serving,
            Map.of());
    ContainerRuntime runtime =
        ContainerRuntime.open(
            isolation, python.executable(), Files.createDirectory(directory.resolve("runtime")));
    this.kubelet =
        new Kubelet(
            client,
            runtime,
            name -> name.equals(IMAGE) ? Optional.of(image) : Optional.empty(),
            (namespace, claim) ->
                List.of(CLAIM, READ_ONLY_CLAIM).contains(claim)
                    ? Optional.of(new Claims.Claim(claimDirectory(), claim.equals(READ_ONLY_CLAIM)))
                    : Optional.empty(),
            Files.createDirectory(directory.resolve("pods")));
    kubelet.start();
  }

  KubernetesClient client() {
    return client;
  }

  /** Where the files of Pods are. */
  Path pods() {
    return directory.resolve("pods");
  }

  /** Where the data of both claims is. */
  Path claimDirectory() {
    return directory.resolve("claim");
  }

  Pod create(Pod pod) {
    return client.resource(pod).create();
  }

  /** Waits until a Pod is as wanted. */
  Pod await(Pod pod, Predicate<Pod> condition) {
    return client
        .resource(pod)
        .waitUntilCondition(
            now -> now != null && condition.test(now), TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  Pod awaitEnd(Pod pod) {
    return await(pod, now -> List.of("Succeeded", "Failed").contains(now.getStatus().getPhase()));
  }

  Pod awaitRunning(Pod pod) {
    return await(pod, now -> "Running".equals(now.getStatus().getPhase()));
  }

  void awaitGone(Pod pod) {
    client.resource(pod).waitUntilCondition(now -> now == null, TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  /** Waits until a container has written a text; returns all that it has written by then. */
  String awaitLog(Pod pod, String container, String text) throws IOException {
    awaitStart(pod, container);
    StringBuilder all = new StringBuilder();
    try (InputStream log = openLog(pod, options(container, true, null, null))) {
      byte[] buffer = new byte[4096];
      while (all.indexOf(text) < 0) {
        int read = log.read(buffer);
        if (read < 0) {
          throw new AssertionError("the log ended without " + text + ": " + all);
        }
        all.append(new String(buffer, 0, read, StandardCharsets.UTF_8));
      }
    }
    return all.toString();
  }

  /** All that a container writes, to its end. */
  String wholeLog(Pod pod, String container) throws IOException {
    awaitStart(pod, container);
    try (InputStream log = openLog(pod, options(container, true, null, null))) {
      return new String(log.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void awaitStart(Pod pod, String container) {
    await(
        pod,
        now ->
            !now.getStatus().getContainerStatuses().isEmpty()
                && status(now, container).getState().getWaiting() == null);
  }

  InputStream openLog(Pod pod, PodLogOptions options) {
    Pod now = client.resource(pod).get();
    return kubelet.open(
        client.getKubernetesSerialization().convertValue(now, ObjectNode.class), options);
  }

  static PodLogOptions options(
      String container, boolean follow, @Nullable Long tail, @Nullable Long limit) {
    return new PodLogOptions(container, follow, false, tail, limit);
  }

  static ContainerStatus status(Pod pod, String container) {
    return pod.getStatus().getContainerStatuses().stream()
        .filter(status -> status.getName().equals(container))
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    kubelet.close();
    client.close();
    server.close();
  }
}
