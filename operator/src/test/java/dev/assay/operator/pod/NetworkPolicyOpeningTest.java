package dev.assay.operator.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkPolicyOpeningTest {
  private static final Map<String, String> LABELS = Map.of(Labels.RUN_CLASS, "python", "team", "a");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{podSelector: {}, policyTypes: [Egress], egress: [{}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}",
        "{podSelector: {}, ingress: [{}]}",
        "{podSelector: {matchLabels: {app.kubernetes.io/name: assay}}, ingress: [{}]}",
        "{podSelector: {matchLabels: {assay.dev/run-class: python-small}}, ingress: [{}]}",
        "{podSelector: {matchExpressions: [{key: app, operator: NotIn, values: [db]}]}, ingress:"
            + " [{}]}",
        "{podSelector: {matchExpressions: [{key: assay.dev/run-uid, operator: Exists}]}, ingress:"
            + " [{}]}"
      })
  void aPolicyThatAllowsRunPodsMoreIsAnOpening(String spec) {
    assertThat(NetworkPolicyOpening.of(policy("other", spec))).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{podSelector: {}, policyTypes: [Ingress, Egress]}",
        "{podSelector: {}, policyTypes: [Ingress], egress: [{}]}",
        "{podSelector: {matchLabels: {app: database}}, ingress: [{}]}",
        "{podSelector: {matchLabels: {app.kubernetes.io/component: operator}}, ingress: [{}]}",
        "{podSelector: {matchExpressions: [{key: assay.dev/runner-pod, operator: DoesNotExist}]},"
            + " egress: [{}]}",
        "{podSelector: {matchExpressions: [{key: assay.dev/runner-pod, operator: NotIn, values:"
            + " ['true']}]}, egress: [{}]}"
      })
  void aPolicyThatAllowsThemNothingIsNone(String spec) {
    assertThat(NetworkPolicyOpening.of(policy("other", spec))).isEmpty();
  }

  @Test
  void theOperatorsOwnPolicyIsNone() {
    assertThat(
            NetworkPolicyOpening.of(
                RunnerNetworkPolicy.build("analytics", "assay-system", Map.of("app", "assay"))))
        .isEmpty();
  }

  @Test
  void whatIsOpenIsTold() {
    assertThat(
            NetworkPolicyOpening.of(
                policy("web", "{podSelector: {}, egress: [{}], ingress: [{}]}")))
        .hasValueSatisfying(
            opening ->
                assertThat(opening).contains("web", "egress and ingress", Labels.RUNNER_POD));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{podSelector: {}, egress: [{}]}",
        "{podSelector: {}, egress: [{ports: [{port: 53}]}]}",
        "{podSelector: {matchLabels: {assay.dev/run-class: python, team: a}}, egress: [{}]}",
        "{podSelector: {matchExpressions: [{key: assay.dev/run-uid, operator: Exists}]}, egress:"
            + " [{}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8]}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.0/7}}]}]}",
        "{podSelector: {}, egress: [{to: [{podSelector: {}}, {ipBlock: {cidr: '2001:db8::/32'}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 169.254.169.254/32}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 100.64.0.0/10}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 'fd00::/8'}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 'fe80::/10'}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: '::ffff:10.0.0.0/8'}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: unknown}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.0.0.0}}]}]}"
      })
  void aPolicyWithPublicAddressesOpensTheInternet(String spec) {
    assertThat(opensInternet(spec)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{podSelector: {}, egress: [{to: [{namespaceSelector: {}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 10.1.0.0/16}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 172.31.255.0/24}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 100.65.0.0/16}}]}]}",
        "{podSelector: {}, egress: [{to: [{ipBlock: {cidr: 'fd12:3456::/32'}}]}]}",
        "{podSelector: {}, ingress: [{}]}",
        "{podSelector: {}, policyTypes: [Ingress], egress: [{}], ingress: [{}]}",
        "{podSelector: {matchLabels: {app: web}}, egress: [{}]}",
        "{podSelector: {matchLabels: {assay.dev/run-class: sql}}, egress: [{}]}",
        "{podSelector: {matchLabels: {team: b}}, egress: [{}]}"
      })
  void aPolicyWithoutThemDoesNot(String spec) {
    assertThat(opensInternet(spec)).isFalse();
  }

  private static boolean opensInternet(String spec) {
    NetworkPolicy policy = policy("web", spec);
    return NetworkPolicyOpening.opensInternet(policy)
        && NetworkPolicyOpening.selects(policy, LABELS);
  }

  private static NetworkPolicy policy(String name, String spec) {
    return Serialization.unmarshal(
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: "
            + name
            + "}\nspec: "
            + spec,
        NetworkPolicy.class);
  }
}
