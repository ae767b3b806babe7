package dev.assay.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.cli.cluster.Finding.Level;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ComponentFindingsTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final String START = "assay-operator: 0 of 1 replicas available; ";

  @Test
  void aDeploymentWithAllItsReplicasIsWell() {
    assertThat(ComponentFindings.of(deployment(2, 2), List.of()))
        .isEqualTo(Finding.ok("assay-operator: 2 of 2 replicas available, version 0.2.0"));
    assertThat(ComponentFindings.isAvailable(deployment(2, 1))).isFalse();
    assertThat(ComponentFindings.of(deployment(0, 0), List.of()).sentence())
        .isEqualTo(
            "assay-operator is scaled to 0: kubectl -n assay-system scale"
                + " deployment/assay-operator --replicas=1");
  }

  @Test
  void anUpgradeWhosePodsDoNotStartIsNotHiddenByThoseBeforeIt() {
    Deployment upgraded = deployment(1, 1);
    upgraded.getStatus().setUpdatedReplicas(0);
    assertThat(ComponentFindings.of(upgraded, List.of()).sentence())
        .startsWith("assay-operator: 1 of 1 replicas available, but not of this version; ");
    Deployment unseen = deployment(1, 1);
    unseen.getMetadata().setGeneration(2L);
    unseen.getStatus().setObservedGeneration(1L);
    assertThat(ComponentFindings.isAvailable(unseen)).isFalse();
  }

  @Test
  void anImageThatCannotBePulledIsNamedWithTheValuesOfTheChart() {
    assertThat(
            why(
                pod(
                    new ContainerStatusBuilder()
                        .withNewState()
                        .withNewWaiting("Back-off pulling image\n\"x\"", "ImagePullBackOff")
                        .endState())))
        .isEqualTo(
            START
                + "the container operator of the Pod assay-operator-1 waits: ImagePullBackOff"
                + " (Back-off pulling image \"x\"): correct image.registry,"
                + " image.repositoryPrefix, image.tag or image.pullSecrets");
  }

  @Test
  void aContainerThatEndsAgainAndAgainIsNamedWithItsLastEnd() {
    String sentence =
        START
            + "the container operator of the Pod assay-operator-1 ended with OOMKilled (exit code"
            + " 137): kubectl -n assay-system logs assay-operator-1 -c operator --previous says why";
    ContainerStatusBuilder ended =
        new ContainerStatusBuilder()
            .withNewLastState()
            .withNewTerminated()
            .withReason("OOMKilled")
            .withExitCode(137)
            .endTerminated()
            .endLastState();
    assertThat(why(pod(ended))).isEqualTo(sentence);
    assertThat(
            why(
                pod(
                    ended
                        .withNewState()
                        .withNewWaiting("back-off 5m0s", "CrashLoopBackOff")
                        .endState())))
        .isEqualTo(sentence);
  }

  @Test
  void aPodThatFindsNoNodeIsExplainedByTheScheduler() {
    Pod pod =
        new PodBuilder(pod(new ContainerStatusBuilder()))
            .editStatus()
            .withContainerStatuses(List.<ContainerStatus>of())
            .addNewCondition()
            .withType("PodScheduled")
            .withStatus("False")
            .withMessage("0/3 nodes are available: 3 Insufficient memory.")
            .endCondition()
            .endStatus()
            .build();
    assertThat(why(pod))
        .startsWith(START + "the Pod assay-operator-1 cannot be scheduled (0/3 nodes are")
        .contains("3 Insufficient memory.): make room");
  }

  @Test
  void whatOnlyStartsOrIsNotReadyIsSaidWithTheCommandThatShowsMore() {
    assertThat(
            why(
                pod(
                    new ContainerStatusBuilder()
                        .withNewState()
                        .withNewWaiting(null, "ContainerCreating")
                        .endState())))
        .contains("is starting: kubectl -n assay-system describe pod assay-operator-1");
    Pod running =
        new PodBuilder(pod(new ContainerStatusBuilder()))
            .editStatus()
            .withPhase("Running")
            .endStatus()
            .build();
    assertThat(why(running))
        .contains("runs and is not ready: kubectl -n assay-system logs assay-operator-1 says why");
  }

  @Test
  void podsThatAreRefusedAreExplainedByTheDeployment() {
    Deployment refused =
        new DeploymentBuilder(deployment(1, 0))
            .editStatus()
            .addNewCondition()
            .withType("ReplicaFailure")
            .withMessage("exceeded quota: compute")
            .endCondition()
            .endStatus()
            .build();
    assertThat(ComponentFindings.of(refused, List.of()).sentence())
        .isEqualTo(START + "its Pods are refused: exceeded quota: compute");
    assertThat(ComponentFindings.of(deployment(1, 0), List.of()).sentence())
        .isEqualTo(START + "kubectl -n assay-system describe deployment assay-operator shows more");
  }

  @Test
  void aLeaderRenewsItsLease() {
    assertThat(ComponentFindings.leader(lease("assay-operator-1", 3), NOW))
        .isEqualTo(Finding.ok("the operator leads: assay-operator-1 renewed its Lease 3 s ago"));
    assertThat(ComponentFindings.leader(lease("assay-operator-1", -30), NOW).sentence())
        .contains("0 s ago");
    assertThat(ComponentFindings.leader(lease("assay-operator-1", 76), NOW))
        .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.FAILED))
        .satisfies(finding -> assertThat(finding.sentence()).contains("76 s ago", "clock"));
  }

  @Test
  void nobodyLeadsWithoutALeaseOrAfterItsRelease() {
    assertThat(ComponentFindings.leader(Optional.empty(), NOW).level()).isEqualTo(Level.FAILED);
    assertThat(ComponentFindings.leader(lease("", 1), NOW).sentence())
        .startsWith("no operator leads");
  }

  private static String why(Pod pod) {
    Finding finding = ComponentFindings.of(deployment(1, 0), List.of(pod));
    assertThat(finding.level()).isEqualTo(Level.FAILED);
    return finding.sentence();
  }

  private static Pod pod(ContainerStatusBuilder container) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("assay-operator-1")
        .withNamespace("assay-system")
        .endMetadata()
        .withNewStatus()
        .withPhase("Pending")
        .withContainerStatuses(container.withName("operator").withReady(false).build())
        .endStatus()
        .build();
  }

  private static Deployment deployment(int wanted, int available) {
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName("assay-operator")
        .withNamespace("assay-system")
        .addToLabels("app.kubernetes.io/version", "0.2.0")
        .endMetadata()
        .withNewSpec()
        .withReplicas(wanted)
        .endSpec()
        .withNewStatus()
        .withAvailableReplicas(available)
        .withUpdatedReplicas(available)
        .endStatus()
        .build();
  }

  private static Optional<Lease> lease(String holder, long secondsAgo) {
    return Optional.of(
        new LeaseBuilder()
            .withNewSpec()
            .withHolderIdentity(holder)
            .withLeaseDurationSeconds(15)
            .withRenewTime(NOW.minusSeconds(secondsAgo).atZone(ZoneOffset.UTC))
            .endSpec()
            .build());
  }
}
