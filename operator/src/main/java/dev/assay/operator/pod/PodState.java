package dev.assay.operator.pod;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Toleration;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The properties of a Pod's status that decisions depend on. */
public final class PodState {
  /** A Pod that finds no node for longer may fit none, whatever ends. */
  public static final Duration FITS_WITHIN = Duration.ofSeconds(60);

  /** A working kubelet needs less than this beyond the grace period. */
  private static final Duration DELETION_SLACK = Duration.ofSeconds(10);

  /** How runtimes write it: by itself, or after the name of the image. */
  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}$");

  /** Of a cordoned node. */
  private static final String CORDON = "node.kubernetes.io/unschedulable";

  private PodState() {}

  /**
   * Whether its supervisor runs and has an address. Waiting for phase Running would cost a second:
   * the kubelet checks once a second, and reports Running only after it has seen the last container
   * start.
   */
  public static boolean isReachable(Pod pod) {
    return pod.getStatus().getPodIP() != null
        && pod.getMetadata().getDeletionTimestamp() == null
        && !isTerminal(pod)
        && containerStatuses(pod).stream()
            .filter(status -> status.getName().equals(RunnerPod.SUPERVISOR))
            .anyMatch(
                status -> status.getState() != null && status.getState().getRunning() != null);
  }

  /** Whether all of its containers have terminated, or it will never run. */
  public static boolean isTerminal(Pod pod) {
    String phase = pod.getStatus().getPhase();
    return "Succeeded".equals(phase) || "Failed".equals(phase);
  }

  /** Whether it has terminated or is being deleted, and so frees its quota, now or soon. */
  public static boolean isEnding(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() != null || isTerminal(pod);
  }

  /** Whether the scheduler has found no node for it. */
  public static boolean isUnschedulable(Pod pod) {
    return unschedulableSince(pod).isPresent();
  }

  /**
   * When the scheduler first found no node for it, in whole seconds; empty if it has a node or was
   * not tried.
   */
  public static Optional<Instant> unschedulableSince(Pod pod) {
    return isEnding(pod)
        ? Optional.empty()
        : scheduled(pod)
            .filter(condition -> "False".equals(condition.getStatus()))
            .filter(condition -> "Unschedulable".equals(condition.getReason()))
            .map(condition -> changed(condition).orElseGet(() -> created(pod)));
  }

  /** Whether the scheduler has neither placed it, nor said why not. */
  public static boolean awaitsScheduler(Pod pod) {
    return !hasNode(pod) && !isEnding(pod) && scheduled(pod).isEmpty();
  }

  private static Optional<PodCondition> scheduled(Pod pod) {
    return conditions(pod).stream()
        .filter(condition -> "PodScheduled".equals(condition.getType()))
        .findFirst();
  }

  private static Optional<Instant> changed(PodCondition condition) {
    return Optional.ofNullable(condition.getLastTransitionTime()).map(Instant::parse);
  }

  /** Whether the scheduler has placed it on a node. */
  public static boolean hasNode(Pod pod) {
    return pod.getSpec().getNodeName() != null;
  }

  /** When it was created, in whole seconds. */
  public static Instant created(Pod pod) {
    return Instant.parse(pod.getMetadata().getCreationTimestamp());
  }

  /** Whether the kubelet has reported its containers, some of which may not have started yet. */
  public static boolean hasContainers(Pod pod) {
    return !containerStatuses(pod).isEmpty();
  }

  /** Whether the scheduler may place it on a cordoned node. */
  public static boolean toleratesCordon(Pod pod) {
    List<Toleration> tolerations = pod.getSpec().getTolerations();
    return tolerations != null && tolerations.stream().anyMatch(PodState::toleratesCordon);
  }

  /** Missing fields match everything, except that a missing operator is Equal. */
  private static boolean toleratesCordon(Toleration toleration) {
    boolean exists = "Exists".equals(toleration.getOperator());
    boolean sameKey = isEmpty(toleration.getKey()) ? exists : CORDON.equals(toleration.getKey());
    boolean sameEffect =
        isEmpty(toleration.getEffect()) || "NoSchedule".equals(toleration.getEffect());
    return sameKey && sameEffect && (exists || isEmpty(toleration.getValue()));
  }

  private static boolean isEmpty(@Nullable String text) {
    return text == null || text.isEmpty();
  }

  /**
   * Why it is about to be lost, as far as the Pod itself shows; empty if it is not. Of a node that
   * is not ready, Kubernetes says of its Pods that they are not ready, though their containers are.
   */
  public static Optional<String> loss(Pod pod) {
    Optional<String> disruption =
        conditions(pod).stream()
            .filter(condition -> "DisruptionTarget".equals(condition.getType()))
            .filter(condition -> "True".equals(condition.getStatus()))
            .map(condition -> words(condition.getReason(), condition.getMessage()))
            .findFirst();
    return disruption.or(
        () ->
            has(pod, "Ready", "False") && has(pod, "ContainersReady", "True")
                ? Optional.of("its node is not ready")
                : Optional.empty());
  }

  private static boolean has(Pod pod, String type, String status) {
    return conditions(pod).stream()
        .anyMatch(
            condition -> type.equals(condition.getType()) && status.equals(condition.getStatus()));
  }

  /** Whether a Pod was started before its run was known. */
  public static boolean isWarm(Pod pod) {
    return pod.getMetadata().getLabels() != null
        && pod.getMetadata().getLabels().containsKey(Labels.WARM_POOL);
  }

  /** Whether a Pod has the label of its run, which a warm Pod gets after it is bound. */
  public static boolean isAdopted(Pod pod) {
    return pod.getMetadata().getLabels() != null
        && pod.getMetadata().getLabels().containsKey(Labels.RUN_UID);
  }

  /** Whether the worker container has terminated, so that its status has the reason. */
  public static boolean workerEnded(Pod pod) {
    return containerStatuses(pod).stream()
        .filter(status -> status.getName().equals(RunnerPod.WORKER))
        .anyMatch(status -> status.getState() != null && status.getState().getTerminated() != null);
  }

  /** The digest of the image that the worker container runs; empty if Kubernetes reports none. */
  public static Optional<String> workerImageID(Pod pod) {
    return containerStatuses(pod).stream()
        .filter(status -> status.getName().equals(RunnerPod.WORKER))
        .map(ContainerStatus::getImageID)
        .filter(Objects::nonNull)
        .map(DIGEST::matcher)
        .filter(Matcher::find)
        .map(Matcher::group)
        .findFirst();
  }

  /** Whether the worker container was OOM-killed. */
  public static boolean workerOutOfMemory(Pod pod) {
    return containerStatuses(pod).stream()
        .filter(status -> status.getName().equals(RunnerPod.WORKER))
        .map(ContainerStatus::getState)
        .filter(Objects::nonNull)
        .map(ContainerState::getTerminated)
        .filter(Objects::nonNull)
        .anyMatch(terminated -> "OOMKilled".equals(terminated.getReason()));
  }

  /**
   * Whether Kubernetes evicted it for what it wrote to its scratch directory on the node's disk.
   */
  public static boolean scratchExceeded(Pod pod) {
    String message = pod.getStatus().getMessage();
    return "Evicted".equals(pod.getStatus().getReason())
        && message != null
        && message.contains("\"" + RunnerPod.SCRATCH + "\"");
  }

  /**
   * Whether another Pod may succeed: this one was deleted, or Kubernetes terminated it for reasons
   * of its own, such as eviction, preemption, or a node without room for it.
   */
  public static boolean mayBeReplaced(@Nullable Pod pod) {
    if (pod == null || pod.getMetadata().getDeletionTimestamp() != null) {
      return true;
    }
    String reason = pod.getStatus().getReason();
    return isTerminal(pod) && reason != null && !reason.equals("DeadlineExceeded");
  }

  /**
   * Whether its deletion is overdue: the kubelet has not confirmed its termination, for instance
   * because its node is lost.
   */
  public static boolean deletionOverdue(Pod pod, Instant now) {
    String deletion = pod.getMetadata().getDeletionTimestamp();
    return deletion != null && Instant.parse(deletion).plus(DELETION_SLACK).isBefore(now);
  }

  /** Why it does not run yet, as reported by Kubernetes; empty if unknown. */
  public static Optional<String> waitingReason(Pod pod) {
    Optional<String> container =
        containerStatuses(pod).stream()
            .map(ContainerStatus::getState)
            .filter(Objects::nonNull)
            .map(ContainerState::getWaiting)
            .filter(Objects::nonNull)
            .filter(waiting -> !"ContainerCreating".equals(waiting.getReason()))
            .filter(waiting -> !"PodInitializing".equals(waiting.getReason()))
            .map(waiting -> words(waiting.getReason(), waiting.getMessage()))
            .findFirst();
    return container.or(
        () ->
            conditions(pod).stream()
                .filter(condition -> "PodScheduled".equals(condition.getType()))
                .filter(condition -> "False".equals(condition.getStatus()))
                .map(condition -> words(condition.getReason(), condition.getMessage()))
                .findFirst());
  }

  /** Why it terminated, as reported by Kubernetes. */
  public static String terminationReason(Pod pod) {
    if (pod.getStatus().getReason() != null) {
      return words(pod.getStatus().getReason(), pod.getStatus().getMessage());
    }
    return containerStatuses(pod).stream()
        .filter(status -> status.getState() != null && status.getState().getTerminated() != null)
        .map(
            status ->
                status.getName()
                    + " ended: "
                    + words(
                        status.getState().getTerminated().getReason(),
                        "exit code " + status.getState().getTerminated().getExitCode()))
        .reduce((first, second) -> first + "; " + second)
        .orElse("phase " + pod.getStatus().getPhase());
  }

  private static List<ContainerStatus> containerStatuses(Pod pod) {
    List<ContainerStatus> statuses = pod.getStatus().getContainerStatuses();
    return statuses == null ? List.of() : statuses;
  }

  private static List<PodCondition> conditions(Pod pod) {
    List<PodCondition> conditions = pod.getStatus().getConditions();
    return conditions == null ? List.of() : conditions;
  }

  private static String words(@Nullable String reason, @Nullable String message) {
    if (reason == null || reason.isEmpty()) {
      return message == null ? "no reason given" : message;
    }
    return message == null || message.isEmpty() ? reason : reason + ": " + message;
  }
}
