package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A leader that makes no progress is replaced, even if it renews its Lease. */
@Full
class StuckLeaderE2E {
  private static final Logger LOG = LoggerFactory.getLogger(StuckLeaderE2E.class);

  /**
   * How long the operator is blocked: long enough for a Lease to expire, and too short for probes
   * to restart the process that must recover.
   */
  private static final Duration STARVED = Duration.ofSeconds(20);

  private static final int MAX_SECONDS_FROZEN = 60;

  /** A stuck process is detected after a minute, and the kubelet probes a few times. */
  private static final int MAX_SECONDS_STARVED = 150;

  /** A reconciliation may take minutes. */
  private static final int MAX_SECONDS_HUNG = 480;

  private static final String CLASS = "e2e-stuck-leader";

  private final Assay assay;
  private final Runs runs;
  private final OperatorPods operators;
  private final List<AnalyticsRun> created = new ArrayList<>();
  private String leader;

  StuckLeaderE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
    this.operators = new OperatorPods(assay);
  }

  @BeforeEach
  void findTheLeader() {
    leader = operators.leader();
    Classes.likePython(
        assay, CLASS, spec -> spec.withObject("/timeouts").put("pendingSeconds", 900));
  }

  @AfterEach
  void remove() {
    created.forEach(runs::delete);
    created.forEach(runs::forceDeletePod);
    created.forEach(runs::awaitNoPod);
    Classes.remove(assay, CLASS);
  }

  @Test
  void runsAreBoundSoonAfterTheOperatorCouldNotWatchItsConnections() throws Exception {
    AnalyticsRun template = create("print(1)");
    Pod runPod = runs.awaitPod(template);
    runs.awaitEnd(template);
    Namespace elsewhere =
        assay
            .kubernetes()
            .resource(
                new NamespaceBuilder()
                    .withNewMetadata()
                    .withGenerateName("e2e-starved-")
                    .endMetadata()
                    .build())
            .create();
    AnalyticsRun during;
    try (LeaseChanges changes = new LeaseChanges(operators.lease(), leader)) {
      Pod attacker = attackerLikeTheOperator(runPod, elsewhere.getMetadata().getName());
      LOG.info(
          "User {} has {} times of epoll's watches",
          attacker.getSpec().getSecurityContext().getRunAsUser(),
          QuotaAttack.awaitUsedUp(elsewhere.getMetadata().getName(), attacker));
      during = create("print('during')");
      LOG.info("the Lease changed hands: {}", changes.isTakenWithin(STARVED));
    } finally {
      assay.kubernetes().resource(elsewhere).withGracePeriod(0).delete();
      assay
          .kubernetes()
          .pods()
          .inNamespace(elsewhere.getMetadata().getName())
          .withGracePeriod(0)
          .delete();
      assay
          .kubernetes()
          .resource(elsewhere)
          .waitUntilCondition(gone -> gone == null, 60, TimeUnit.SECONDS);
    }
    AnalyticsRun after = create("print('after')");
    assertEnds(after, "after\n", MAX_SECONDS_STARVED);
    assertEnds(during, "during\n", MAX_SECONDS_STARVED);
  }

  @Test
  void runsAreBoundByTheOtherReplicaWhileTheLeaderIsFrozen() {
    NodeProcess process = NodeProcess.of(operators.pod(leader).require());
    process.stop();
    try {
      assertEnds(create("print('frozen')"), "frozen\n", MAX_SECONDS_FROZEN);
      assertThat(operators.successorOf(leader)).isNotEmpty();
    } finally {
      process.goOn();
    }
    assertEnds(create("print('thawed')"), "thawed\n", MAX_SECONDS_FROZEN);
    operators.awaitAll();
  }

  @Test
  void runsAreBoundByTheOtherReplicaWhenTheLeaderOnlyRenewsItsLease() {
    CrashableOperator operator = new CrashableOperator(assay);
    operator.install();
    leader = operators.leader();
    try {
      operator.arm(leader, Map.of(), CrashableOperator.Then.HANG);
      AnalyticsRun run = create("print('by the other')");
      assertEnds(run, "by the other\n", MAX_SECONDS_HUNG);
      assertThat(operators.successorOf(leader)).isNotEmpty();
    } finally {
      operators.replace(leader);
      operator.restore();
      operators.leader();
    }
  }

  /** A run that does not fail because it had to wait. */
  private AnalyticsRun create(String code) {
    AnalyticsRun run = runs.create(CLASS, code, 30);
    created.add(run);
    return run;
  }

  private void assertEnds(AnalyticsRun run, String output, int maxSeconds) {
    AnalyticsRunStatus ended = runs.awaitEnd(run, maxSeconds);
    assertThat(ended.phase()).as(ended.message()).isEqualTo(RunPhase.Succeeded);
    assertThat(Runs.output(ended)).isEqualTo(output);
  }

  /** A Pod that has only the user of its process in common with Assay. */
  private Pod attackerLikeTheOperator(Pod runPod, String namespace) {
    Pod operator = operators.pod(leader).require();
    Long user =
        Long.valueOf(
            operators.kubectl("exec", operator.getMetadata().getName(), "--", "id", "-u").strip());
    Pod ordinary =
        ProbePods.ordinary(
            runPod, namespace, "e2e-starver", Map.of(), new UserQuota("epoll_watches").attack());
    Pod attacker =
        new PodBuilder(ordinary)
            .editSpec()
            .editSecurityContext()
            .withRunAsUser(user)
            .endSecurityContext()
            .editFirstContainer()
            .editSecurityContext()
            .withRunAsUser(user)
            .endSecurityContext()
            .endContainer()
            .endSpec()
            .build();
    return assay
        .kubernetes()
        .resource(assay.kubernetes().resource(attacker).create())
        .waitUntilReady(60, TimeUnit.SECONDS);
  }
}
