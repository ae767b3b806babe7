package dev.assay.training;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Scheduler, kubelet and containers of a namespace: each Pod runs at once and is ready. */
final class StandInPods implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StandInPods.class);
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final String NODE = "training";

  private final ObjectMapper json = new ObjectMapper();
  private final KubernetesClient client;
  private final String namespace;
  private final Runnable beforeResult;
  private final Map<String, StandInRunner> runners = new ConcurrentHashMap<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * Pods that do not run yet.
   *
   * @param beforeResult called before a Pod sends its result, which it can delay
   */
  StandInPods(KubernetesClient client, String namespace, Runnable beforeResult) {
    this.client = client;
    this.namespace = namespace;
    this.beforeResult = beforeResult;
  }

  /** Begins to run Pods. */
  void start() {
    client.pods().inNamespace(namespace).inform(new Handler(), 0);
  }

  private final class Handler implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      threads.execute(() -> run(pod));
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      if (pod.getMetadata().getDeletionTimestamp() != null
          && before.getMetadata().getDeletionTimestamp() == null) {
        threads.execute(() -> confirmDeletion(pod));
      }
    }

    @Override
    public void onDelete(Pod pod, boolean finalStateUnknown) {
      closeRunner(pod);
    }
  }

  private void run(Pod pod) {
    try {
      StandInRunner runner = StandInRunner.start(pod, beforeResult, () -> end(pod));
      runners.put(pod.getMetadata().getUid(), runner);
      ObjectNode binding = json.createObjectNode().put("apiVersion", "v1").put("kind", "Binding");
      binding.putObject("metadata").put("name", pod.getMetadata().getName());
      binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", NODE);
      client.raw(path(pod) + "/binding", "POST", binding);
      writeStatus(pod, running(pod, runner.ip()));
    } catch (KubernetesClientException e) {
      // The operator may have deleted it meanwhile.
      LOG.info("Pod {} does not run: {}", pod.getMetadata().getName(), e.getMessage());
      closeRunner(pod);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The supervisor exits after its result was acknowledged. */
  private void end(Pod pod) {
    threads.execute(
        () -> {
          StandInRunner runner = runners.remove(pod.getMetadata().getUid());
          if (runner == null) {
            return;
          }
          runner.close();
          try {
            writeStatus(pod, ended(pod, runner.ip()));
          } catch (KubernetesClientException e) {
            LOG.debug("Pod {} is gone: {}", pod.getMetadata().getName(), e.getMessage());
          }
        });
  }

  private void confirmDeletion(Pod pod) {
    closeRunner(pod);
    ObjectNode options = json.createObjectNode();
    options.put("apiVersion", "v1").put("kind", "DeleteOptions").put("gracePeriodSeconds", 0);
    options.putObject("preconditions").put("uid", pod.getMetadata().getUid());
    try {
      client.raw(path(pod), "DELETE", options);
    } catch (KubernetesClientException e) {
      LOG.debug("Pod {} is gone: {}", pod.getMetadata().getName(), e.getMessage());
    }
  }

  private void closeRunner(Pod pod) {
    StandInRunner runner = runners.remove(pod.getMetadata().getUid());
    if (runner != null) {
      runner.close();
    }
  }

  private void writeStatus(Pod pod, PodStatus status) {
    ObjectNode patch = json.createObjectNode();
    patch.putObject("metadata").put("uid", pod.getMetadata().getUid());
    patch.set("status", client.getKubernetesSerialization().convertValue(status, ObjectNode.class));
    client
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName())
        .subresource("status")
        .patch(MERGE, patch.toString());
  }

  private static PodStatus running(Pod pod, String ip) {
    ContainerState running =
        new ContainerStateBuilder().withNewRunning().withStartedAt(now()).endRunning().build();
    return status(pod, ip, "Running", running);
  }

  private static PodStatus ended(Pod pod, String ip) {
    ContainerState terminated =
        new ContainerStateBuilder()
            .withNewTerminated()
            .withExitCode(0)
            .withReason("Completed")
            .withFinishedAt(now())
            .endTerminated()
            .build();
    return status(pod, ip, "Succeeded", terminated);
  }

  private static PodStatus status(Pod pod, String ip, String phase, ContainerState state) {
    boolean isReady = state.getRunning() != null;
    List<ContainerStatus> containers =
        pod.getSpec().getContainers().stream()
            .map(
                container ->
                    new ContainerStatusBuilder()
                        .withName(container.getName())
                        .withImage(container.getImage())
                        .withImageID(container.getImage() + "@sha256:" + "0".repeat(64))
                        .withReady(isReady)
                        .withStarted(isReady)
                        .withRestartCount(0)
                        .withState(state)
                        .build())
            .toList();
    return new PodStatusBuilder()
        .withPhase(phase)
        .withPodIP(ip)
        .addNewPodIP(ip)
        .withStartTime(now())
        .withConditions(
            new PodConditionBuilder().withType("PodScheduled").withStatus("True").build(),
            new PodConditionBuilder()
                .withType("Ready")
                .withStatus(isReady ? "True" : "False")
                .build())
        .withContainerStatuses(containers)
        .build();
  }

  private static String now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static String path(Pod pod) {
    return "/api/v1/namespaces/%s/pods/%s"
        .formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName());
  }

  @Override
  public void close() {
    client.informers().stopAllRegisteredInformers();
    threads.shutdownNow();
    runners.values().forEach(StandInRunner::close);
  }
}
