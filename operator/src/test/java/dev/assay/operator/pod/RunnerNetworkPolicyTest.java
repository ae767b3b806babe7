package dev.assay.operator.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunnerNetworkPolicyTest {
  private final NetworkPolicy policy =
      RunnerNetworkPolicy.build("team-a", "assay-system", Map.of("app", "assay-operator"));

  @Test
  void runnerPodsMaySendNothing() {
    assertThat(policy.getSpec().getPolicyTypes()).containsExactlyInAnyOrder("Ingress", "Egress");
    assertThat(policy.getSpec().getEgress()).isEmpty();
  }

  @Test
  void itSelectsEveryRunnerPodByTheLabelItHasFromItsCreation() {
    assertThat(policy.getSpec().getPodSelector().getMatchLabels())
        .containsExactly(Map.entry(Labels.RUNNER_POD, "true"));
    assertThat(policy.getMetadata().getNamespace()).isEqualTo("team-a");
  }

  @Test
  void onlyTheOperatorsPodsInItsOwnNamespaceReachTheRunnersPort() {
    assertThat(policy.getSpec().getIngress())
        .singleElement()
        .satisfies(
            rule -> {
              // One peer with both selectors: two peers would mean either of them.
              assertThat(rule.getFrom())
                  .singleElement()
                  .satisfies(
                      peer -> {
                        assertThat(peer.getNamespaceSelector().getMatchLabels())
                            .containsExactly(
                                Map.entry("kubernetes.io/metadata.name", "assay-system"));
                        assertThat(peer.getPodSelector().getMatchLabels())
                            .containsExactly(Map.entry("app", "assay-operator"));
                        assertThat(peer.getIpBlock()).isNull();
                      });
              assertThat(rule.getPorts())
                  .singleElement()
                  .satisfies(
                      port -> {
                        assertThat(port.getProtocol()).isEqualTo("TCP");
                        assertThat(port.getPort().getStrVal()).isEqualTo(RunnerPod.PORT_NAME);
                      });
            });
  }

  @Test
  void whatComesBackFromTheApiServerIsEqualSoThatItIsNotReplacedEachTime() {
    NetworkPolicy read = Serialization.unmarshal(Serialization.asJson(policy), NetworkPolicy.class);
    assertThat(read.getSpec()).isEqualTo(policy.getSpec());
  }
}
