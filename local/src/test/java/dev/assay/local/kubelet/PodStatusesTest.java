package dev.assay.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.local.kubelet.ContainerPhase.Running;
import dev.assay.local.kubelet.ContainerPhase.Terminated;
import dev.assay.local.kubelet.ContainerPhase.Waiting;
import dev.assay.local.kubelet.PodStatuses.ContainerFacts;
import dev.assay.local.kubelet.PodStatuses.Facts;
import dev.assay.local.kubelet.PodStatuses.Failure;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PodStatusesTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final ContainerPhase RUNNING = new Running(START.plusSeconds(1));

  @Test
  void aPodIsPendingWhileAContainerWaits() {
    PodStatus status = status(null, Waiting.creating(), RUNNING);

    assertThat(status.getPhase()).isEqualTo("Pending");
    assertThat(condition(status, "PodScheduled").getStatus()).isEqualTo("True");
    assertThat(condition(status, "Ready").getReason()).isEqualTo("ContainersNotReady");
  }

  @Test
  void aPodRunsWhileOneContainerDoes() {
    assertThat(status(null, ended(1), RUNNING).getPhase()).isEqualTo("Running");
  }

  @Test
  void aPodWhoseContainersAllExitedWithZeroSucceeded() {
    PodStatus status = status(null, ended(0), ended(0));

    assertThat(status.getPhase()).isEqualTo("Succeeded");
    assertThat(condition(status, "Ready").getReason()).isEqualTo("PodCompleted");
  }

  @Test
  void onePodsContainerThatFailedFailsThePod() {
    PodStatus status = status(null, ended(0), ended(1));

    assertThat(status.getPhase()).isEqualTo("Failed");
    assertThat(status.getReason()).isNull();
  }

  @Test
  void aPodThatWasEndedSaysWhyWhenItsContainersHaveEnded() {
    Failure failure = new Failure("DeadlineExceeded", "too long");

    assertThat(status(failure, RUNNING).getReason()).isNull();
    assertThat(status(failure, ended(0)).getPhase()).isEqualTo("Failed");
    assertThat(status(failure, ended(0)).getReason()).isEqualTo("DeadlineExceeded");
  }

  @Test
  void aPodWithoutContainersWasRefused() {
    assertThat(status(new Failure("UnsupportedPod", "why")).getPhase()).isEqualTo("Failed");
  }

  @Test
  void aConditionKeepsItsTimeWhileItHolds() {
    PodStatus first = status(null, Waiting.creating());
    PodStatus second = PodStatuses.of(facts(null, RUNNING), first, START.plusSeconds(9));

    assertThat(condition(second, "PodScheduled").getLastTransitionTime())
        .isEqualTo("2026-01-01T00:00:05Z");
    assertThat(condition(second, "Ready").getLastTransitionTime())
        .isEqualTo("2026-01-01T00:00:09Z");
  }

  @Test
  void theSameFactsMakeTheSameStatus() {
    PodStatus first = status(null, RUNNING);

    assertThat(PodStatuses.of(facts(null, RUNNING), first, START.plusSeconds(60))).isEqualTo(first);
  }

  @Test
  void theDigestOfAnImageIsKnownOnceItsContainerRuns() {
    PodStatus status = status(null, Waiting.creating(), new Running(START), ended(0));
    assertThat(status.getContainerStatuses())
        .extracting(ContainerStatus::getImageID)
        .containsExactly("", "sha256:1", "sha256:1");
  }

  private static ContainerPhase ended(int exitCode) {
    return new Terminated(exitCode, "Error", "", START, START.plusSeconds(2));
  }

  private static PodStatus status(@Nullable Failure failure, ContainerPhase... phases) {
    return PodStatuses.of(facts(failure, phases), null, START.plusSeconds(5));
  }

  private static Facts facts(@Nullable Failure failure, ContainerPhase... phases) {
    List<ContainerFacts> containers = new ArrayList<>();
    for (ContainerPhase phase : phases) {
      containers.add(new ContainerFacts("c" + containers.size(), "image", "sha256:1", phase));
    }
    return new Facts("127.64.0.1", START, containers, failure);
  }

  private static PodCondition condition(PodStatus status, String type) {
    return status.getConditions().stream()
        .filter(condition -> condition.getType().equals(type))
        .findFirst()
        .orElseThrow();
  }
}
