package dev.assay.operator.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.Samples;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodStateTest {
  private static final String DIGEST = "0a".repeat(32);
  private static final Pod RUNNING = Samples.runningPod(7333);

  @Test
  void aPodWithAnAddressThatRunsCanBeDialled() {
    assertThat(PodState.isReachable(RUNNING)).isTrue();
    assertThat(PodState.isTerminal(RUNNING)).isFalse();
  }

  @Test
  void aPodWithoutAddressOrOnItsWayOutCannotBeDialled() {
    assertThat(
            PodState.isReachable(
                new PodBuilder(RUNNING).editStatus().withPodIP(null).endStatus().build()))
        .isFalse();
    assertThat(
            PodState.isReachable(
                new PodBuilder(RUNNING)
                    .editMetadata()
                    .withDeletionTimestamp(Samples.CREATED)
                    .endMetadata()
                    .build()))
        .isFalse();
  }

  @Test
  void aPodWhoseSupervisorRunsIsDialledWhileItsWorkerStillStarts() {
    Pod pending = new PodBuilder(RUNNING).editStatus().withPhase("Pending").endStatus().build();
    assertThat(PodState.isReachable(pending)).isTrue();
    assertThat(PodState.isReachable(with(waiting("supervisor", "ContainerCreating", null))))
        .isFalse();
  }

  /** As the scheduler does. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "-,Exists,-,-,true",
        "-,Exists,-,NoSchedule,true",
        "-,Exists,-,NoExecute,false",
        "-,-,-,-,false",
        "node.kubernetes.io/unschedulable,Exists,-,-,true",
        "node.kubernetes.io/unschedulable,-,-,NoSchedule,true",
        "node.kubernetes.io/unschedulable,Equal,x,NoSchedule,false",
        "node.kubernetes.io/unschedulable,Exists,-,NoExecute,false",
        "dedicated,Exists,-,NoSchedule,false",
      })
  void aPodToleratesCordonedNodesIfItsTolerationsSaySo(
      @Nullable String key,
      @Nullable String operator,
      @Nullable String value,
      @Nullable String effect,
      boolean tolerates) {
    Pod pod =
        new PodBuilder(RUNNING)
            .editSpec()
            .withTolerations(
                new TolerationBuilder()
                    .withKey(key)
                    .withOperator(operator)
                    .withValue(value)
                    .withEffect(effect)
                    .build())
            .endSpec()
            .build();
    assertThat(PodState.toleratesCordon(pod)).isEqualTo(tolerates);
    assertThat(PodState.toleratesCordon(RUNNING)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"Pending,false", "Running,false", "Unknown,false", "Succeeded,true", "Failed,true"})
  void onlySucceededAndFailedAreTheEnd(String phase, boolean terminal) {
    assertThat(PodState.isTerminal(phase(phase))).isEqualTo(terminal);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "registry.example/assay/runner@sha256:DIGEST, sha256:DIGEST",
        "sha256:DIGEST, sha256:DIGEST",
        "docker://sha256:DIGEST, sha256:DIGEST",
        "runner:1, -",
        "'', -",
        "sha256:DIGESTmore, -",
        "-, -"
      })
  void theImageIsThatOfTheWorkerByItsDigest(@Nullable String reported, @Nullable String expected) {
    ContainerStatus worker =
        new ContainerStatusBuilder()
            .withName("worker")
            .withImageID(reported == null ? null : reported.replace("DIGEST", DIGEST))
            .build();
    ContainerStatus supervisor =
        new ContainerStatusBuilder().withName("supervisor").withImageID("sha256:x").build();
    assertThat(PodState.workerImageID(with(supervisor, worker)))
        .isEqualTo(Optional.ofNullable(expected).map(text -> text.replace("DIGEST", DIGEST)));
  }

  @Test
  void onlyTheWorkersMemoryCounts() {
    assertThat(PodState.workerOutOfMemory(with(terminated("worker", "OOMKilled")))).isTrue();
    assertThat(PodState.workerOutOfMemory(with(terminated("supervisor", "OOMKilled")))).isFalse();
    assertThat(PodState.workerOutOfMemory(with(terminated("worker", "Error")))).isFalse();
    assertThat(PodState.workerOutOfMemory(with(waiting("worker", "OOMKilled", null)))).isFalse();
  }

  @Test
  void aContainerThatWaitsTellsWhyInKubernetesWords() {
    assertThat(PodState.waitingReason(with(waiting("worker", "ImagePullBackOff", "no such image"))))
        .contains("ImagePullBackOff: no such image");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ContainerCreating", "PodInitializing"})
  void theOrdinaryCourseIsNoReasonToWait(String reason) {
    assertThat(PodState.waitingReason(with(waiting("worker", reason, null)))).isEmpty();
    assertThat(PodState.waitingReason(RUNNING)).isEmpty();
  }

  @Test
  void aPodWithoutANodeTellsWhatTheSchedulerSays() {
    Pod pod =
        Samples.unschedulable(new PodBuilder(phase("Pending")), "0/3 nodes are available").build();
    assertThat(PodState.waitingReason(pod)).contains("Unschedulable: 0/3 nodes are available");
  }

  @Test
  void theEndOfAPodIsToldFromThePodElseFromItsContainersElseFromItsPhase() {
    Pod evicted =
        new PodBuilder(with(terminated("worker", "Error")))
            .editStatus()
            .withReason("Evicted")
            .withMessage("low on memory")
            .endStatus()
            .build();
    assertThat(PodState.terminationReason(evicted)).isEqualTo("Evicted: low on memory");
    assertThat(
            PodState.terminationReason(
                with(terminated("supervisor", "Completed"), terminated("worker", "Error"))))
        .isEqualTo(
            "supervisor ended: Completed: exit code 137; worker ended: Error: exit code 137");
    assertThat(PodState.terminationReason(phase("Failed"))).isEqualTo("phase Failed");
  }

  @Test
  void aPodThatKubernetesTookAwayMayBeReplacedAndOneThatFailedByItselfNot() {
    assertThat(PodState.mayBeReplaced(null)).isTrue();
    assertThat(PodState.mayBeReplaced(deletedAt("2026-11-01T10:00:00Z"))).isTrue();
    assertThat(PodState.mayBeReplaced(failed("Evicted"))).isTrue();
    assertThat(PodState.mayBeReplaced(failed("OutOfpods"))).isTrue();
    assertThat(PodState.mayBeReplaced(failed("DeadlineExceeded"))).isFalse();
    assertThat(PodState.mayBeReplaced(phase("Failed"))).isFalse();
    assertThat(PodState.mayBeReplaced(RUNNING)).isFalse();
  }

  @Test
  void aDeletionIsOverdueOnlyWellAfterItsTime() {
    Pod pod = deletedAt("2026-11-01T10:00:00Z");
    assertThat(PodState.deletionOverdue(pod, Instant.parse("2026-11-01T10:00:10Z"))).isFalse();
    assertThat(PodState.deletionOverdue(pod, Instant.parse("2026-11-01T10:00:11Z"))).isTrue();
    assertThat(PodState.deletionOverdue(RUNNING, Instant.MAX)).isFalse();
  }

  private static Pod failed(String reason) {
    return new PodBuilder(phase("Failed")).editStatus().withReason(reason).endStatus().build();
  }

  private static Pod deletedAt(String time) {
    return new PodBuilder(RUNNING).editMetadata().withDeletionTimestamp(time).endMetadata().build();
  }

  private static Pod phase(String phase) {
    return new PodBuilder(RUNNING).editStatus().withPhase(phase).endStatus().build();
  }

  private static Pod with(ContainerStatus... statuses) {
    return new PodBuilder(RUNNING).editStatus().withContainerStatuses(statuses).endStatus().build();
  }

  private static ContainerStatus terminated(String name, String reason) {
    return new ContainerStatusBuilder()
        .withName(name)
        .withNewState()
        .withNewTerminated()
        .withReason(reason)
        .withExitCode(137)
        .endTerminated()
        .endState()
        .build();
  }

  private static ContainerStatus waiting(
      String name, String reason, @org.jspecify.annotations.Nullable String message) {
    return new ContainerStatusBuilder()
        .withName(name)
        .withNewState()
        .withNewWaiting(message, reason)
        .endState()
        .build();
  }
}
