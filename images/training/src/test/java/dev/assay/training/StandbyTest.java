package dev.assay.training;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.operator.AssayOperator;
import dev.assay.operator.config.OperatorConfig.LeaderElectionConfig;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two operators, of which one leads. */
class StandbyTest {
  private static final LeaderElectionConfig ELECTION =
      new LeaderElectionConfig("assay-operator", StandInCluster.SYSTEM_NAMESPACE);
  private static final List<String> CHANGED_BY_RUNS =
      List.of("analyticsruns", "pods", "events", "datasets", "runclasses");

  private final List<Exception> failures = new CopyOnWriteArrayList<>();

  @Tag("slow")
  @Test
  void theOneThatDoesNotLeadSeesNothingOfARunAndExecutesTheNextOne(@TempDir Path directory)
      throws Exception {
    RequestLog ofLeader = new RequestLog();
    RequestLog ofStandby = new RequestLog();
    try (InProcess assay = new InProcess(directory);
        KubernetesClient first = ofLeader.client(assay.config());
        KubernetesClient second = ofStandby.client(assay.config());
        AssayOperator standby = assay.operator("two", second, ELECTION, failures::add)) {
      try (AssayOperator leader = assay.operator("one", first, ELECTION, failures::add)) {
        leader.start();
        awaitHolder(assay, "one");
        standby.start();
        assertThat(assay.run("by-one").phase()).isEqualTo(RunPhase.Succeeded);
        assertThat(ofLeader.sent()).anyMatch(sent -> sent.isWatch() && sent.isOf("pods"));
        assertThat(ofStandby.sent().filter(StandbyTest::isChangedByRuns))
            .as("one look at each kind, when it started")
            .allMatch(sent -> sent.query().contains("limit=1"))
            .map(RequestLog.Sent::toString)
            .containsExactlyInAnyOrder(
                "GET analyticsruns", "GET datasets", "GET pods", "GET runclasses");
      }
      awaitHolder(assay, "two");
      assertThat(assay.run("by-two").phase()).isEqualTo(RunPhase.Succeeded);
      assertThat(ofStandby.sent()).anyMatch(sent -> sent.isWatch() && sent.isOf("pods"));
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void aRunOutlivesTheLeaderThatExecutesIt(@TempDir Path directory) throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    try (InProcess assay = new InProcess(directory, () -> await(mayEnd));
        KubernetesClient first = new RequestLog().client(assay.config());
        KubernetesClient second = new RequestLog().client(assay.config());
        AssayOperator standby = assay.operator("two", second, ELECTION, failures::add)) {
      try (AssayOperator leader = assay.operator("one", first, ELECTION, failures::add)) {
        leader.start();
        awaitHolder(assay, "one");
        standby.start();
        assay.create("held");
        assay.await("held", phase -> phase == RunPhase.Running);
      }
      awaitHolder(assay, "two");
      mayEnd.countDown();
      assertThat(assay.awaitEnd("held").phase()).isEqualTo(RunPhase.Succeeded);
    }
    assertThat(failures).isEmpty();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isChangedByRuns(RequestLog.Sent sent) {
    return CHANGED_BY_RUNS.stream().anyMatch(sent::isOf);
  }

  private static void awaitHolder(InProcess assay, String name) {
    Lease unused =
        assay
            .client()
            .leases()
            .inNamespace(ELECTION.namespace())
            .withName(ELECTION.leaseName())
            .waitUntilCondition(
                lease -> lease != null && name.equals(lease.getSpec().getHolderIdentity()),
                60,
                TimeUnit.SECONDS);
  }
}
