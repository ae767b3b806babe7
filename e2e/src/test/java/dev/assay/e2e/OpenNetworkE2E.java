package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyEgressRuleBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No code is started in a Pod that a NetworkPolicy of somebody else lets out. */
@Full
class OpenNetworkE2E {
  private static final String CLASS = "e2e-open-network";
  private static final String OPEN = "The network of its Pod is open: ";
  private static final String CODE = "print(6 * 7)";
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Assay assay;
  private final Runs runs;

  OpenNetworkE2E(Assay assay) {
    this.assay = assay;
    this.runs = new Runs(assay);
  }

  @BeforeEach
  @AfterEach
  void nothingIsLeft() {
    close();
    Classes.remove(assay, CLASS);
  }

  @Test
  void aColdRunWaitsInItsPodAndStartsOnceThePolicyIsGone() {
    open();
    Classes.likePython(assay, CLASS, spec -> spec.put("egressCheck", "Required"));
    AnalyticsRun run = runs.create(CLASS, CODE, 20);
    awaitOpen(run);
    assertThat(Runs.startsIn(assay, run)).isZero();
    assertReported();
    close();
    assertSucceeds(run);
  }

  /** It opens the internet and not the front end, where each Pod is tested. */
  @Test
  void aPolicyThatOpensPublicAddressesAloneStopsTheClassAndItsConditionSaysSo() {
    Classes.likePython(assay, CLASS, spec -> spec.put("egressCheck", "Required"));
    assertSucceeds(runs.create(CLASS, CODE, 20));
    awaitEnforced("True");
    NetworkPolicy internet = policy();
    internet
        .getSpec()
        .setEgress(
            List.of(
                new NetworkPolicyEgressRuleBuilder()
                    .addNewTo()
                    .withNewIpBlock()
                    .withCidr("203.0.113.0/24")
                    .endIpBlock()
                    .endTo()
                    .build()));
    assay.kubernetes().resource(internet).create();
    AnalyticsRun run = runs.create(CLASS, CODE, 20);
    awaitOpen(run);
    awaitEnforced("False");
    assertThat(Runs.startsIn(assay, run)).isZero();
    close();
    assertSucceeds(run);
    awaitEnforced("True");
  }

  private void awaitEnforced(String status) {
    assay
        .kubernetes()
        .resources(RunClass.class)
        .withName(CLASS)
        .waitUntilCondition(
            runClass ->
                runClass != null
                    && runClass.getStatus() != null
                    && runClass.getStatus().conditions() != null
                    && runClass.getStatus().conditions().stream()
                        .anyMatch(
                            condition ->
                                condition.getType().equals("NetworkPolicyEnforced")
                                    && condition.getStatus().equals(status)),
            PATIENCE.toSeconds(),
            TimeUnit.SECONDS);
  }

  @Test
  void aWarmPodIsGivenToNoRunWhileItIsOpenAndStays() {
    Classes.likePython(
        assay,
        CLASS,
        spec -> {
          spec.put("egressCheck", "Required");
          spec.putObject("warmPool").put("min", 1);
        });
    awaitReady(1);
    String idle = warmPods().getFirst();
    open();
    awaitReady(0);
    AnalyticsRun run = runs.create(CLASS, CODE, 20);
    awaitOpen(run);
    assertThat(warmPods()).as("it is not replaced").containsExactly(idle);
    assertThat(Runs.startsIn(assay, run)).isZero();
    close();
    assertSucceeds(run);
    awaitReady(1);
    assertThat(warmPods()).containsExactly(idle);
  }

  /** Lets the Pods of the class out, and no others. */
  private void open() {
    assay.kubernetes().resource(policy()).create();
  }

  private void close() {
    assay.kubernetes().resource(policy()).delete();
  }

  private NetworkPolicy policy() {
    return new NetworkPolicyBuilder()
        .withNewMetadata()
        .withName(CLASS)
        .withNamespace(assay.namespace())
        .endMetadata()
        .withNewSpec()
        .withNewPodSelector()
        .addToMatchLabels("assay.dev/run-class", CLASS)
        .endPodSelector()
        .withPolicyTypes("Egress")
        .addNewEgress()
        .endEgress()
        .endSpec()
        .build();
  }

  private void awaitOpen(AnalyticsRun run) {
    AnalyticsRunStatus status =
        runs.await(
            run,
            seen ->
                Objects.requireNonNullElse(seen.message(), "").startsWith(OPEN)
                    || (seen.phase() != null && seen.phase().isFinal()));
    assertThat(status.phase()).isEqualTo(RunPhase.Pending);
    assertThat(status.message()).contains("namespace " + assay.namespace());
  }

  /** An Event of a Pod says what to look for. */
  private void assertReported() {
    assertThat(
            assay
                .kubernetes()
                .v1()
                .events()
                .inNamespace(assay.namespace())
                .withField("reason", "EgressNotRefused")
                .list()
                .getItems())
        .anySatisfy(event -> assertThat(event.getMessage()).startsWith(OPEN));
  }

  private void assertSucceeds(AnalyticsRun run) {
    AnalyticsRunStatus status = runs.awaitEnd(run);
    assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Succeeded);
    assertThat(Runs.output(status)).isEqualTo("42\n");
  }

  private void awaitReady(int count) {
    Classes.awaitPools(assay, CLASS, PATIENCE, pools -> pools.ready() == count);
  }

  /** The names of the Pods of the class that no run has. */
  private List<String> warmPods() {
    return assay
        .kubernetes()
        .pods()
        .inNamespace(assay.namespace())
        .withLabel("assay.dev/run-class", CLASS)
        .withoutLabel(Runs.RUN_UID)
        .list()
        .getItems()
        .stream()
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }
}
