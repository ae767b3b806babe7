package dev.assay.local.kubelet;

import dev.assay.local.kubelet.ContainerPhase.Running;
import dev.assay.local.kubelet.ContainerPhase.Terminated;
import dev.assay.local.kubelet.ContainerPhase.Waiting;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A Pod's status as a kubelet writes it; pure. */
final class PodStatuses {
  private static final String HOST_ADDRESS = "127.0.0.1";

  private PodStatuses() {}

  /**
   * What is known of a Pod.
   *
   * @param address the Pod's own
   * @param startTime when it was taken
   * @param failure why it was ended as a whole; absent where it was not
   */
  record Facts(
      String address,
      Instant startTime,
      List<ContainerFacts> containers,
      @Nullable Failure failure) {}

  /** What is known of a container. */
  record ContainerFacts(String name, String image, String imageID, ContainerPhase phase) {}

  /** Why a Pod was ended as a whole. */
  record Failure(String reason, String message) {}

  /**
   * The status.
   *
   * @param previous the one before, which tells since when conditions hold; absent at first
   */
  static PodStatus of(Facts facts, @Nullable PodStatus previous, Instant now) {
    String phase = phase(facts);
    boolean ended = hasEnded(facts);
    boolean ready =
        !ended && facts.containers().stream().allMatch(c -> c.phase() instanceof Running);
    String notReady =
        ended ? (phase.equals("Failed") ? "PodFailed" : "PodCompleted") : "ContainersNotReady";
    Failure failure = ended ? facts.failure() : null;
    return new PodStatusBuilder()
        .withPhase(phase)
        .withReason(failure == null ? null : failure.reason())
        .withMessage(failure == null ? null : failure.message())
        .withHostIP(HOST_ADDRESS)
        .withPodIP(facts.address())
        .addNewPodIP(facts.address())
        .withStartTime(time(facts.startTime()))
        .withConditions(
            condition("PodScheduled", true, null, previous, now),
            condition("Initialized", true, null, previous, now),
            condition("ContainersReady", ready, notReady, previous, now),
            condition("Ready", ready, notReady, previous, now))
        .withContainerStatuses(facts.containers().stream().map(PodStatuses::container).toList())
        .build();
  }

  /** Whether nothing of the Pod will ever run again. */
  static boolean hasEnded(Facts facts) {
    String phase = phase(facts);
    return phase.equals("Succeeded") || phase.equals("Failed");
  }

  private static String phase(Facts facts) {
    List<ContainerPhase> phases = facts.containers().stream().map(ContainerFacts::phase).toList();
    if (phases.stream().allMatch(Terminated.class::isInstance)) {
      boolean succeeded =
          facts.failure() == null
              && phases.stream().allMatch(phase -> ((Terminated) phase).exitCode() == 0);
      return succeeded ? "Succeeded" : "Failed";
    }
    return phases.stream().anyMatch(Waiting.class::isInstance) ? "Pending" : "Running";
  }

  private static ContainerStatus container(ContainerFacts container) {
    boolean running = container.phase() instanceof Running;
    return new ContainerStatusBuilder()
        .withName(container.name())
        .withImage(container.image())
        .withImageID(container.phase() instanceof Waiting ? "" : container.imageID())
        .withReady(running)
        .withStarted(running)
        .withRestartCount(0)
        .withState(state(container.phase()))
        .build();
  }

  private static ContainerState state(ContainerPhase phase) {
    return switch (phase) {
      case Waiting waiting ->
          new ContainerStateBuilder()
              .withNewWaiting(emptyToNull(waiting.message()), waiting.reason())
              .build();
      case Running running ->
          new ContainerStateBuilder().withNewRunning(time(running.since())).build();
      case Terminated terminated ->
          new ContainerStateBuilder()
              .withNewTerminated()
              .withExitCode(terminated.exitCode())
              .withReason(terminated.reason())
              .withMessage(emptyToNull(terminated.message()))
              .withStartedAt(time(terminated.startedAt()))
              .withFinishedAt(time(terminated.at()))
              .endTerminated()
              .build();
    };
  }

  private static PodCondition condition(
      String type,
      boolean holds,
      @Nullable String reason,
      @Nullable PodStatus previous,
      Instant now) {
    String status = holds ? "True" : "False";
    String since =
        previous == null
            ? time(now)
            : previous.getConditions().stream()
                .filter(old -> old.getType().equals(type) && old.getStatus().equals(status))
                .map(PodCondition::getLastTransitionTime)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(time(now));
    return new PodConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason(holds ? null : reason)
        .withLastTransitionTime(since)
        .build();
  }

  private static String time(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static @Nullable String emptyToNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
