package dev.assay.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The logs of the supervisors of all run Pods, followed from their start, because Pods and their
 * logs are deleted soon.
 */
final class SupervisorLogs implements AutoCloseable, ResourceEventHandler<Pod> {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String namespace;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, FollowedPod> pods = new ConcurrentHashMap<>();
  private final SharedIndexInformer<Pod> informer;

  private record FollowedPod(String runUid, CompletableFuture<String> log) {}

  SupervisorLogs(Assay assay) {
    this.namespace = assay.namespace();
    this.informer =
        assay.kubernetes().pods().inNamespace(namespace).withLabel(Runs.RUN_UID).inform(this);
  }

  /**
   * How often the supervisors of all Pods of a run logged an event. Waits for the end of these
   * Pods.
   *
   * @param event such as {@code started}
   */
  long count(String runUid, String event) {
    return pods.values().stream()
        .filter(pod -> pod.runUid().equals(runUid))
        .flatMap(pod -> pod.log().join().lines())
        .filter(line -> says(line, runUid, event))
        .count();
  }

  /** A line of user output starts with another character. */
  private static boolean says(String line, String runUid, String event) {
    if (!line.startsWith("{")) {
      return false;
    }
    try {
      JsonNode record = JSON.readTree(line);
      return event.equals(record.path("event").textValue())
          && runUid.equals(record.path("runUid").textValue());
    } catch (JsonProcessingException e) {
      throw new AssertionError("not a record of a supervisor: " + line, e);
    }
  }

  @Override
  public void onAdd(Pod pod) {
    boolean logs =
        pod.getStatus().getContainerStatuses().stream()
            .filter(status -> status.getName().equals("supervisor"))
            .anyMatch(status -> status.getContainerID() != null);
    if (logs) {
      pods.computeIfAbsent(pod.getMetadata().getUid(), uid -> follow(pod));
    }
  }

  @Override
  public void onUpdate(Pod before, Pod pod) {
    onAdd(pod);
  }

  @Override
  public void onDelete(Pod pod, boolean unknown) {}

  private FollowedPod follow(Pod pod) {
    String name = pod.getMetadata().getName();
    return new FollowedPod(
        Objects.requireNonNull(pod.getMetadata().getLabels().get(Runs.RUN_UID)),
        CompletableFuture.supplyAsync(
            () ->
                Programs.kubectl("-n", namespace, "logs", "-f", name, "-c", "supervisor").orFail(),
            threads));
  }

  @Override
  public void close() {
    informer.close();
    threads.close();
  }
}
