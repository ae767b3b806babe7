package dev.assay.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The logs of the supervisors of run Pods, followed from their start, because Pods and their logs
 * are deleted soon.
 */
final class SupervisorLogs implements AutoCloseable, ResourceEventHandler<Pod> {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Longer than any Pod of a scenario waits for its run. */
  private static final long MAX_SECONDS = 1200;

  private final String namespace;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, FollowedPod> pods = new ConcurrentHashMap<>();
  private final SharedIndexInformer<Pod> informer;

  /**
   * A Pod.
   *
   * @param runUid null for a warm one that was not known to have a run
   */
  private record FollowedPod(@Nullable String runUid, CompletableFuture<String> log) {
    boolean mayHaveHad(String run) {
      return runUid == null || runUid.equals(run);
    }
  }

  /** Those of all Pods that have a run. */
  SupervisorLogs(Assay assay) {
    this(assay, Runs.RUN_UID);
  }

  private SupervisorLogs(Assay assay, String selector) {
    this.namespace = assay.namespace();
    this.informer =
        assay.kubernetes().pods().inNamespace(namespace).withLabelSelector(selector).inform(this);
  }

  /** Those of all Pods of a class, also of warm ones that are never known to have a run. */
  static SupervisorLogs ofClass(Assay assay, String className) {
    return new SupervisorLogs(assay, "assay.dev/run-class=" + className);
  }

  /**
   * How often the supervisors of all Pods that a run may have had logged an event. Waits for the
   * end of these Pods.
   *
   * @param event such as {@code started}
   */
  long count(String runUid, String event) {
    return pods.values().stream()
        .filter(pod -> pod.mayHaveHad(runUid))
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
    List<String> command =
        List.of("kubectl", "-n", namespace, "logs", "-f", name, "-c", "supervisor");
    return new FollowedPod(
        pod.getMetadata().getLabels().get(Runs.RUN_UID),
        CompletableFuture.supplyAsync(
            () -> Programs.run(command, "", Map.of(), MAX_SECONDS).orFail(), threads));
  }

  @Override
  public void close() {
    informer.close();
    threads.close();
  }
}
