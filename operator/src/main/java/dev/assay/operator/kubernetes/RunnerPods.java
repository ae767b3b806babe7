package dev.assay.operator.kubernetes;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.operator.pod.CreatedPod;
import dev.assay.operator.pod.Disruption;
import dev.assay.operator.pod.Labels;
import dev.assay.operator.pod.Owners;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates and deletes runner Pods, lowers their deadlines, and assigns warm Pods to their runs. */
public final class RunnerPods {
  private static final Logger LOG = LoggerFactory.getLogger(RunnerPods.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int REMEMBERED_DELETIONS = 1024;
  private static final long GRACE_SECONDS = 1;

  private final KubernetesClient client;
  private final JsonPatcher patcher;
  private final Deletions deletions;
  private final PodQueue queue;
  private final UnschedulablePods unschedulable;
  private final Clock clock;

  /** UIDs of the Pods that were deleted most recently. */
  private final Set<String> deleted =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                  return size() > REMEMBERED_DELETIONS;
                }
              }));

  public RunnerPods(KubernetesClient client, Clock clock) {
    this.client = client;
    this.patcher = new JsonPatcher(client);
    this.deletions = new Deletions(client);
    this.queue = new PodQueue(clock);
    this.unschedulable = new UnschedulablePods(clock);
    this.clock = clock;
  }

  /** The queue for room in a quota. */
  public PodQueue queue() {
    return queue;
  }

  /** The Pods for which no node was found. */
  public UnschedulablePods unschedulable() {
    return unschedulable;
  }

  /**
   * Creates a Pod; does nothing if a Pod of that name exists.
   *
   * @return the Pod, if this call created it
   * @throws KubernetesClientException if the API server rejects it
   */
  public Optional<Pod> create(Pod pod) {
    try {
      return Optional.of(client.resource(pod).create());
    } catch (KubernetesClientException e) {
      if (!ApiErrors.alreadyExists(e)) {
        throw e;
      }
      return Optional.empty();
    }
  }

  /**
   * Lowers a Pod's activeDeadlineSeconds, as a backstop, if that shortens it by more than a tenth:
   * otherwise it is not worth the write. Kubernetes counts from the Pod's start and allows the
   * value only to be lowered.
   *
   * @param left how long the Pod may live from now
   */
  public void lowerDeadline(Pod pod, Duration left) {
    Optional<Long> wanted = lowerDeadlineSeconds(pod, left);
    Long current = pod.getSpec().getActiveDeadlineSeconds();
    if (wanted.isEmpty() || (current != null && current - wanted.get() <= current / 10)) {
      return;
    }
    ArrayNode patch = JSON.createArrayNode();
    addDeadline(patch, wanted.get());
    try {
      patcher.patch(pod, null, patch);
    } catch (KubernetesClientException e) {
      if (!ApiErrors.notFound(e)) {
        // The deadline that was set at creation still applies.
        LOG.warn(
            "The deadline of Pod {} could not be lowered: {}",
            pod.getMetadata().getName(),
            ApiErrors.message(e));
      }
    }
  }

  /**
   * The activeDeadlineSeconds with which a Pod ends after a time from now; empty if it has not
   * started, or has no higher value: then the API server would reject the patch.
   */
  private Optional<Long> lowerDeadlineSeconds(Pod pod, Duration left) {
    String startTime = pod.getStatus().getStartTime();
    if (startTime == null) {
      return Optional.empty();
    }
    Duration elapsed = Duration.between(Instant.parse(startTime), clock.instant());
    long wanted = elapsed.plus(left).toSeconds() + 1;
    Long current = pod.getSpec().getActiveDeadlineSeconds();
    return current == null || wanted < current ? Optional.of(wanted) : Optional.empty();
  }

  private static void addDeadline(ArrayNode patch, long seconds) {
    patch
        .addObject()
        .put("op", "add")
        .put("path", "/spec/activeDeadlineSeconds")
        .put("value", seconds);
  }

  /**
   * Makes a Pod that was started before its run was known that run's own: owner, label, limits,
   * that no autoscaler may evict it, and the deadline if that is lower. Does nothing if another
   * owner has it already, or it is gone.
   *
   * @param left how long the Pod may live from now
   * @throws KubernetesClientException if the API server is unavailable, or rejects the patch for
   *     another reason
   */
  public void adopt(Pod pod, AnalyticsRun run, Map<String, String> limits, Duration left) {
    ArrayNode patch = JSON.createArrayNode();
    test(patch, "/metadata/uid", pod.getMetadata().getUid());
    test(patch, "/metadata/ownerReferences/0/uid", ownerUid(pod));
    patch
        .addObject()
        .put("op", "replace")
        .put("path", "/metadata/ownerReferences")
        .putArray("value")
        .add(JSON.<ObjectNode>valueToTree(Owners.controller(run)));
    add(patch, "/metadata/labels/" + escaped(Labels.RUN_UID), run.getMetadata().getUid());
    limits.forEach((name, value) -> annotate(patch, name, value));
    Disruption.FORBIDDEN.annotations().forEach((name, value) -> annotate(patch, name, value));
    lowerDeadlineSeconds(pod, left).ifPresent(seconds -> addDeadline(patch, seconds));
    try {
      patcher.patch(pod, null, patch);
    } catch (KubernetesClientException e) {
      if (!ApiErrors.notFound(e) && !(ApiErrors.invalid(e) && hasAnotherOwner(pod))) {
        throw e;
      }
    }
  }

  /** Whether a Pod belongs to something else than it did, or is gone. */
  private boolean hasAnotherOwner(Pod before) {
    String owner = ownerUid(before);
    return read(
            before.getMetadata().getNamespace(),
            before.getMetadata().getName(),
            before.getMetadata().getUid())
        .filter(pod -> ownerUid(pod).equals(owner))
        .isEmpty();
  }

  private static String ownerUid(Pod pod) {
    return pod.getMetadata().getOwnerReferences().stream()
        .findFirst()
        .map(OwnerReference::getUid)
        .orElse("");
  }

  private static void test(ArrayNode patch, String path, String value) {
    patch.addObject().put("op", "test").put("path", path).put("value", value);
  }

  private static void add(ArrayNode patch, String path, String value) {
    patch.addObject().put("op", "add").put("path", path).put("value", value);
  }

  private static void annotate(ArrayNode patch, String name, String value) {
    add(patch, "/metadata/annotations/" + escaped(name), value);
  }

  /** A name as a JSON pointer has it. */
  private static String escaped(String name) {
    return name.replace("~", "~0").replace("/", "~1");
  }

  /**
   * Reads the Pod from the API server, because a cache may be stale.
   *
   * @return empty if it does not exist any more; a newer one of the same name is not returned
   * @throws KubernetesClientException if the API server rejects the request or is unavailable
   */
  public Optional<Pod> read(String namespace, String name, String uid) {
    return Optional.ofNullable(client.pods().inNamespace(namespace).withName(name).get())
        .filter(pod -> pod.getMetadata().getUid().equals(uid));
  }

  /**
   * Whether a Pod of this name exists, read from the API server because a cache may be stale.
   *
   * @throws KubernetesClientException if the API server rejects the request or is unavailable
   */
  public boolean exists(String namespace, String name) {
    return client.pods().inNamespace(namespace).withName(name).get() != null;
  }

  /** Whether one of the namespaces has a Pod that was created with this key. */
  public boolean anyWithKey(String keyId, Collection<String> namespaces) {
    return namespaces.stream()
        .map(namespace -> client.pods().inNamespace(namespace).withLabel(Labels.RUNNER_POD))
        .anyMatch(pods -> Pages.anyMatch(pods, pod -> CreatedPod.keyIds(pod).contains(keyId)));
  }

  /** Deletes a Pod; idempotent. */
  public void delete(Pod pod) {
    if (!deleted.add(pod.getMetadata().getUid())) {
      // A cache may still show a Pod whose deletion was requested.
      return;
    }
    try {
      deletions.delete(pod, GRACE_SECONDS);
    } catch (RuntimeException e) {
      deleted.remove(pod.getMetadata().getUid());
      throw e;
    }
  }

  /**
   * Deletes a Pod, unless it has changed since it was read: what was true of it then is true of
   * what is deleted, however old a cache is.
   */
  public void deleteUnchanged(Pod pod) {
    String uid = pod.getMetadata().getUid();
    if (!deleted.contains(uid) && deletions.deleteUnchanged(pod, GRACE_SECONDS)) {
      deleted.add(uid);
    }
  }

  /**
   * Deletes a Pod with grace period 0: the kubelet does not confirm its termination because its
   * node is lost.
   */
  public void forceDelete(Pod pod) {
    LOG.warn(
        "Force-deleting Pod {}: the kubelet never confirmed its termination",
        pod.getMetadata().getName());
    deletions.delete(pod, 0L);
  }
}
