package dev.assay.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.RunClass;
import dev.assay.api.v1alpha1.RunClassStatusBuilder;
import dev.assay.cli.cluster.Finding.Level;
import dev.assay.cli.cluster.RunFindings.RunNamespace;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.ResourceQuotaSpecBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RunFindingsTest {
  @Test
  void conditionsThatAreNotTrueAreToldWithTheirMessages() {
    assertThat(
            RunFindings.classes(
                List.of(
                    runClass("python", "False", "a Pod could connect"),
                    runClass("sql", "Unknown", "No Pod was tested yet"),
                    runClass("code", "True", "Pods were refused"),
                    runClass("snapshot"))))
        .containsExactly(
            Finding.ok("RunClasses: 4"),
            Finding.failed(
                "NetworkPolicyEnforced of RunClass python is False: a Pod could connect"
                    + " (docs/operate.md, When the network of a Pod is open)"),
            Finding.note(
                "NetworkPolicyEnforced of RunClass sql is Unknown: No Pod was tested yet"));
    assertThat(RunFindings.classes(List.of()))
        .singleElement()
        .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.FAILED));
  }

  @Test
  void runNamespacesAreThoseOfTheOperatorsConfiguration() {
    assertThat(
            RunFindings.namespaces(
                new ConfigMapBuilder(
                        config(
                            """
                            namespaces:
                              - name: sales
                                snapshotClaim: c
                              - name: later
                              - name: finance
                            """))
                    .editMetadata()
                    .addToAnnotations("assay.dev/external-namespaces", "later,other")
                    .endMetadata()
                    .build()))
        .containsExactly(
            new RunNamespace("sales", false),
            new RunNamespace("later", true),
            new RunNamespace("finance", false));
    assertThat(RunFindings.namespaces(config("namespaces: [1, {name: 2}]"))).isEmpty();
    assertThat(RunFindings.namespaces(config("a: ["))).isEmpty();
    assertThat(RunFindings.namespaces(config(""))).isEmpty();
  }

  @Test
  void aRunNamespaceHasToBeThereAndRestricted() {
    NamespaceBuilder namespace =
        new NamespaceBuilder().withNewMetadata().withName("runs").endMetadata();
    assertThat(RunFindings.missing(new RunNamespace("runs", false)))
        .isEqualTo(
            Finding.failed(
                "the run namespace runs does not exist: create it, or set runNamespaces[].create to"
                    + " true"));
    assertThat(RunFindings.podSecurity(namespace.build()))
        .isEqualTo(
            Finding.failed(
                "runs: Pod Security is not set: kubectl label --overwrite namespace runs"
                    + " pod-security.kubernetes.io/enforce=restricted"));
    namespace
        .editMetadata()
        .addToLabels("pod-security.kubernetes.io/enforce", "restricted")
        .endMetadata();
    assertThat(RunFindings.podSecurity(namespace.build()))
        .isEqualTo(Finding.ok("runs: Pod Security is restricted"));
  }

  @Test
  void aNamespaceThatOthersCreateMayBeMissing() {
    assertThat(RunFindings.missing(new RunNamespace("later", true)))
        .isEqualTo(
            Finding.note(
                "the run namespace later does not exist yet: whoever creates it applies what"
                    + " docs/install.md, Namespaces, lists"));
  }

  @Test
  void aNamespaceWithoutARoleBindingIsNotServed() {
    assertThat(RunFindings.roleBinding("runs", "assay-operator", Optional.empty()))
        .isEqualTo(
            Finding.failed(
                "runs has no RoleBinding assay-operator: it is not served; apply"
                    + " templates/runs/rbac.yaml of the chart"));
    assertThat(
            RunFindings.roleBinding("runs", "assay-operator", Optional.of(new RoleBinding()))
                .level())
        .isEqualTo(Level.OK);
  }

  @Test
  void aQuotaOfWhatPodsTakeNeedsRoom() {
    assertThat(RunFindings.quotas("runs", List.of())).isEqualTo(Finding.ok("runs: no quota"));
    assertThat(
            RunFindings.quotas(
                "runs",
                List.of(
                    quota(Map.of("pods", "20", "limits.cpu", "40"), Map.of("pods", "19")),
                    quota(Map.of("services", "1"), Map.of("services", "1")))))
        .isEqualTo(Finding.ok("runs: its quotas have room"));
    // As in "1" and "1000m".
    assertThat(
            RunFindings.quotas(
                "runs", List.of(quota(Map.of("limits.cpu", "1"), Map.of("limits.cpu", "1000m")))))
        .isEqualTo(
            Finding.failed(
                "the quota compute of runs has no limits.cpu left (1000m of 1 used): wait until"
                    + " runs have ended, or raise it"));
    assertThat(RunFindings.quotas("runs", List.of(quota(Map.of("pods", "0"), Map.of()))).sentence())
        .as("not counted yet")
        .contains("(0 of 0 used)");
    assertThat(
            RunFindings.quotas(
                "runs", List.of(new ResourceQuotaBuilder().withNewStatus().endStatus().build())))
        .isEqualTo(Finding.ok("runs: its quotas have room"));
    ResourceQuota ofSomePods = quota(Map.of("pods", "0"), Map.of());
    ofSomePods.setSpec(new ResourceQuotaSpecBuilder().withScopes("BestEffort").build());
    assertThat(RunFindings.quotas("runs", List.of(ofSomePods)))
        .isEqualTo(Finding.ok("runs: its quotas have room"));
  }

  private static ConfigMap config(String operator) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .endMetadata()
        .addToData("operator.yaml", operator)
        .build();
  }

  /** Without a status, as classes are that create snapshots. */
  private static RunClass runClass(String name) {
    RunClass runClass = new RunClass();
    runClass.setMetadata(new ObjectMetaBuilder().withName(name).build());
    return runClass;
  }

  private static RunClass runClass(String name, String status, String message) {
    RunClass runClass = runClass(name);
    runClass.setStatus(
        RunClassStatusBuilder.builder()
            .conditions(
                List.of(
                    new ConditionBuilder()
                        .withType("NetworkPolicyEnforced")
                        .withStatus(status)
                        .withMessage(message)
                        .build()))
            .build());
    return runClass;
  }

  private static ResourceQuota quota(Map<String, String> hard, Map<String, String> used) {
    ResourceQuotaBuilder quota =
        new ResourceQuotaBuilder()
            .withNewMetadata()
            .withName("compute")
            .endMetadata()
            .withNewStatus()
            .endStatus();
    hard.forEach(
        (name, amount) -> quota.editStatus().addToHard(name, new Quantity(amount)).endStatus());
    used.forEach(
        (name, amount) -> quota.editStatus().addToUsed(name, new Quantity(amount)).endStatus());
    return quota.build();
  }
}
