package dev.assay.cli.cluster;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Why a Pod is not ready, and what to do. */
final class PodTrouble {
  private static final Set<String> IMAGE =
      Set.of("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull");
  private static final Set<String> STARTING = Set.of("ContainerCreating", "PodInitializing");
  private static final String CRASHED = "CrashLoopBackOff";

  private final Pod pod;

  private PodTrouble(Pod pod) {
    this.pod = pod;
  }

  /** Empty for a Pod that is ready, or is being deleted. */
  static Optional<String> of(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() != null || hasCondition(pod, "Ready", "True")
        ? Optional.empty()
        : Optional.of(new PodTrouble(pod).sentence());
  }

  private String sentence() {
    if (hasCondition(pod, "PodScheduled", "False")) {
      return "the Pod %s cannot be scheduled (%s): make room for it, or correct its scheduling in the values of the chart"
          .formatted(name(), message("PodScheduled"));
    }
    return containers()
        .flatMap(container -> trouble(container).stream())
        .findFirst()
        .orElseGet(
            () ->
                isRunning()
                    ? "the Pod %s runs and is not ready: kubectl -n %s logs %s says why"
                        .formatted(name(), namespace(), name())
                    : "the Pod %s is starting: kubectl -n %s describe pod %s shows what it waits for"
                        .formatted(name(), namespace(), name()));
  }

  private Optional<String> trouble(ContainerStatus container) {
    String reason = waiting(container).map(ContainerStateWaiting::getReason).orElse("");
    if (IMAGE.contains(reason)) {
      return Optional.of(
          "%s: correct image.registry, image.repositoryPrefix, image.tag or image.pullSecrets"
              .formatted(waits(container, reason)));
    }
    if (!reason.isEmpty() && !reason.equals(CRASHED) && !STARTING.contains(reason)) {
      return Optional.of(
          "%s: kubectl -n %s describe pod %s shows more"
              .formatted(waits(container, reason), namespace(), name()));
    }
    return ended(container)
        .map(
            end ->
                "the container %s of the Pod %s ended with %s (exit code %d): kubectl -n %s logs %s -c %s --previous says why"
                    .formatted(
                        container.getName(),
                        name(),
                        Objects.requireNonNullElse(end.getReason(), "an error"),
                        Objects.requireNonNullElse(end.getExitCode(), 0),
                        namespace(),
                        name(),
                        container.getName()));
  }

  private String waits(ContainerStatus container, String reason) {
    String message = waiting(container).map(ContainerStateWaiting::getMessage).orElse("");
    return "the container %s of the Pod %s waits: %s%s"
        .formatted(
            container.getName(), name(), reason, message.isEmpty() ? "" : " (" + message + ")");
  }

  private static Optional<ContainerStateWaiting> waiting(ContainerStatus container) {
    return Optional.ofNullable(container.getState()).map(ContainerState::getWaiting);
  }

  private static Optional<ContainerStateTerminated> ended(ContainerStatus container) {
    return Stream.of(Optional.ofNullable(container.getState()), last(container))
        .flatMap(state -> state.map(ContainerState::getTerminated).stream())
        .findFirst();
  }

  private static Optional<ContainerState> last(ContainerStatus container) {
    return Optional.ofNullable(container.getLastState());
  }

  private Stream<ContainerStatus> containers() {
    return pod.getStatus() == null
        ? Stream.of()
        : Stream.concat(
                pod.getStatus().getInitContainerStatuses().stream(),
                pod.getStatus().getContainerStatuses().stream())
            .filter(container -> !Boolean.TRUE.equals(container.getReady()));
  }

  private boolean isRunning() {
    return pod.getStatus() != null && "Running".equals(pod.getStatus().getPhase());
  }

  private String message(String type) {
    @Nullable String message =
        conditions(pod, type).map(PodCondition::getMessage).findFirst().orElse(null);
    return message == null ? "no reason was given" : message;
  }

  private static boolean hasCondition(Pod pod, String type, String status) {
    return conditions(pod, type).anyMatch(condition -> status.equals(condition.getStatus()));
  }

  private static Stream<PodCondition> conditions(Pod pod, String type) {
    return pod.getStatus() == null
        ? Stream.of()
        : pod.getStatus().getConditions().stream()
            .filter(condition -> type.equals(condition.getType()));
  }

  private String name() {
    return pod.getMetadata().getName();
  }

  private String namespace() {
    return pod.getMetadata().getNamespace();
  }
}
