package dev.assay.local.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.kubelet.PodLogOptions;
import dev.assay.local.api.kubelet.PodLogs;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.isolation.ContainerRuntime;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs every Pod that no node has as processes of this machine, which must be Linux. It stands for
 * scheduler, kubelet and container runtime.
 *
 * <p>Not as in a cluster: nothing limits CPU time, disk or the number of processes; memory is
 * sampled where this user may not make cgroups; an emptyDir has a size only where it is in memory
 * and of one container; probes, hooks and {@code $(VARIABLE)} in values are not looked at; and Pods
 * that were taken are not taken up again by another process.
 */
public final class Kubelet implements AutoCloseable, PodLogs {
  private static final Logger LOG = LoggerFactory.getLogger(Kubelet.class);
  private static final long CLOSING_SECONDS = 10;

  private final KubernetesClient client;
  private final ContainerRuntime runtime;
  private final ScheduledExecutorService timer;
  private final MemoryWatch memory;
  private final Node node;
  private final Map<String, PodRunner> pods = new ConcurrentHashMap<>();
  private @Nullable SharedIndexInformer<Pod> informer;

  /**
   * A kubelet that watches nothing yet.
   *
   * @param client of an API server
   * @param runtime runs containers
   * @param images what stands for the images of Pods
   * @param claims where the data of claims is
   * @param directory for the files of Pods; of at most 40 bytes, since sockets below it have to
   *     keep to about 100
   */
  public Kubelet(
      KubernetesClient client,
      ContainerRuntime runtime,
      Images images,
      Claims claims,
      Path directory) {
    this.client = client;
    this.runtime = runtime;
    this.timer = timer();
    this.memory = new MemoryWatch(timer);
    this.node =
        new Node(
            new PodApi(client),
            runtime,
            images,
            claims,
            new PodAddresses(new SecureRandom()),
            memory,
            timer,
            directory,
            Clock.systemUTC());
  }

  private static ScheduledExecutorService timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("kubelet-timer").factory());
    // Else each Pod would be kept until its deadline.
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /** Begins to run Pods; returns when those that are there already are known. */
  public void start() {
    runtime.warmUp();
    memory.start();
    informer = client.pods().inAnyNamespace().inform(new Handler(), 0);
  }

  private final class Handler implements ResourceEventHandler<Pod> {
    @Override
    public void onAdd(Pod pod) {
      String node = pod.getSpec().getNodeName();
      if (node == null || node.isEmpty()) {
        take(pod);
      }
    }

    @Override
    public void onUpdate(Pod before, Pod now) {
      String uid = now.getMetadata().getUid();
      if (!before.getMetadata().getUid().equals(uid)) {
        onDelete(before, true);
        onAdd(now);
        return;
      }
      PodRunner runner = pods.get(uid);
      if (runner != null) {
        runner.updated(now);
      }
    }

    @Override
    public void onDelete(Pod pod, boolean deletedFinalStateUnknown) {
      PodRunner runner = pods.get(pod.getMetadata().getUid());
      if (runner != null) {
        runner.removed();
      }
    }
  }

  private void take(Pod pod) {
    String uid = pod.getMetadata().getUid();
    PodRunner runner =
        new PodRunner(
            node,
            pod,
            () -> {
              pods.remove(uid);
              runtime.warmUp();
            });
    pods.put(uid, runner);
    runner.start();
  }

  @Override
  public InputStream open(ObjectNode pod, PodLogOptions options) {
    if (options.previous()) {
      throw ApiException.badRequest("containers are not restarted here: none has an earlier life");
    }
    PodRunner runner = pods.get(pod.path("metadata").path("uid").asText());
    ContainerLog log =
        runner == null ? null : container(pod, runner.containers(), options.container()).log();
    if (log == null) {
      throw ApiException.badRequest("the container is waiting to start; retry in a moment");
    }
    return new LogStream(log, options);
  }

  private static PodContainer container(
      ObjectNode pod, List<PodContainer> containers, String name) {
    List<String> names = containers.stream().map(one -> one.container().getName()).toList();
    if (name.isEmpty() && containers.size() > 1) {
      throw ApiException.badRequest(
          "a container name must be specified for pod %s, choose one of: %s"
              .formatted(pod.path("metadata").path("name").asText(), names));
    }
    return containers.stream()
        .filter(one -> name.isEmpty() || one.container().getName().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                ApiException.badRequest(
                    "container %s is not valid for pod %s"
                        .formatted(name, pod.path("metadata").path("name").asText())));
  }

  /** Ends all processes of all Pods and removes their files; the Pods stay in the API. */
  @Override
  public void close() {
    if (informer != null) {
      informer.close();
    }
    pods.values().forEach(PodRunner::removed);
    CompletableFuture<?> all =
        CompletableFuture.allOf(
            pods.values().stream().map(PodRunner::end).toArray(CompletableFuture[]::new));
    try {
      all.orTimeout(CLOSING_SECONDS, TimeUnit.SECONDS).join();
    } catch (RuntimeException e) {
      LOG.warn("Not all Pods have ended: {}", e.toString());
    }
    timer.shutdownNow();
    runtime.close();
  }
}
