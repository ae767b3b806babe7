package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.RunPhase;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the operator manages besides runs. */
@Full
class ControlPlaneE2E {
  private static final String ENDLESS =
      "import time\nprint('begun', flush=True)\nwhile True: time.sleep(1)";

  private final Runs runs;

  ControlPlaneE2E(Assay assay) {
    this.runs = new Runs(assay);
  }

  @Test
  void aNetworkPolicyThatIsDeletedOrOpenedIsPutBackAtOnce(Assay assay) {
    Resource<NetworkPolicy> policy =
        assay
            .kubernetes()
            .network()
            .networkPolicies()
            .inNamespace(assay.namespace())
            .withName("assay-runner-pods");
    // It exists as soon as there was a first run.
    assertThat(runs.awaitEnd(runs.create("python", "print(1)", 30)).phase())
        .isEqualTo(RunPhase.Succeeded);
    NetworkPolicy made = policy.require();
    policy.delete();
    NetworkPolicy again =
        policy.waitUntilCondition(
            seen ->
                seen != null && !seen.getMetadata().getUid().equals(made.getMetadata().getUid()),
            30,
            TimeUnit.SECONDS);
    assertThat(again.getSpec()).isEqualTo(made.getSpec());
    policy.edit(
        found -> {
          found.getSpec().setPolicyTypes(List.of("Ingress"));
          return found;
        });
    policy.waitUntilCondition(
        seen -> seen != null && made.getSpec().equals(seen.getSpec()), 30, TimeUnit.SECONDS);
  }

  @Test
  void aRunOutlivesTheChangeOfTheKeyThatItsPodWasMadeWith(Assay assay) {
    OperatorKeys keys = new OperatorKeys(assay);
    keys.awaitSettled();
    String before = keys.current();
    AnalyticsRun old = runs.create("python", ENDLESS, 120);
    runs.awaitRunning(old);
    Secret rotated = keys.rotate();
    assertThat(rotated.getData().get("previous.id")).isEqualTo(before);
    AnalyticsRun fresh = runs.create("python", "print('with the new key')", 30);
    Pod pod = runs.awaitPod(fresh);
    assertThat(Runs.output(runs.awaitEnd(fresh))).isEqualTo("with the new key\n");
    assertThat(publicKeys(pod)).isNotEqualTo(publicKeys(runs.awaitPod(old)));
    runs.cancel(old);
    AnalyticsRunStatus ended = runs.awaitEnd(old);
    assertThat(ended.phase()).isEqualTo(RunPhase.Cancelled);
    assertThat(Runs.output(ended)).isEqualTo("begun\n");
  }

  private static String publicKeys(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .filter(container -> container.getName().equals("supervisor"))
        .flatMap(container -> container.getEnv().stream())
        .filter(variable -> variable.getName().equals("ASSAY_PUBLIC_KEYS"))
        .map(variable -> Objects.requireNonNull(variable.getValue()))
        .findFirst()
        .orElseThrow();
  }
}
