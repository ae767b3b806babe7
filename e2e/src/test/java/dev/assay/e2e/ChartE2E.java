package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the chart renders, by values. Nothing is installed. */
@Core
class ChartE2E {
  private static final String CHART = "../helm/assay";
  private static final List<String> COMPONENTS =
      List.of("operator", "mcp-frontend", "tool-gateway");
  private static final List<String> VALUES = List.of("operator", "frontend", "toolGateway");
  private static final String ALL =
      "auth.mode=disabled,toolGateway.enabled=true,toolGateway.apiServer.addresses[0]=192.0.2.1";
  private static final String TWO_OPERATORS =
      "operator.replicas=2,operator.outputStore.accessModes[0]=ReadWriteMany";

  private final Assay assay;

  ChartE2E(Assay assay) {
    this.assay = assay;
  }

  private static Programs.Finished helm(String verb, String... values) {
    List<String> command = new ArrayList<>(List.of("helm", verb));
    if (verb.equals("template")) {
      command.addAll(List.of("assay", CHART, "--kube-version", "1.34.0"));
    } else {
      command.addAll(List.of("--strict", CHART));
    }
    for (String value : values) {
      command.addAll(List.of("--set", value));
    }
    return Programs.run(command, "", Map.of());
  }

  private List<HasMetadata> objects(String... values) {
    String rendered = helm("template", values).orFail();
    return assay
        .kubernetes()
        .load(new ByteArrayInputStream(rendered.getBytes(StandardCharsets.UTF_8)))
        .items();
  }

  private <T> List<T> objects(Class<T> type, String... values) {
    return objects(values).stream().filter(type::isInstance).map(type::cast).toList();
  }

  private Deployment deployment(String component, String... values) {
    return objects(Deployment.class, values).stream()
        .filter(each -> each.getMetadata().getName().equals("assay-" + component))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void helmFindsNothingToImprove() {
    assertThat(helm("lint", ALL).orFail()).contains("1 chart(s) linted, 0 chart(s) failed");
  }

  @Test
  void eachPodIsRestrictedAndNoImageIsTheLatest() {
    List<PodTemplateSpec> pods =
        objects(ALL).stream()
            .flatMap(
                each ->
                    switch (each) {
                      case Deployment deployment -> Stream.of(deployment.getSpec().getTemplate());
                      case Job job -> Stream.of(job.getSpec().getTemplate());
                      default -> Stream.of();
                    })
            .toList();
    assertThat(pods).hasSize(4);
    for (PodTemplateSpec pod : pods) {
      assertThat(pod.getSpec().getSecurityContext().getRunAsNonRoot()).isTrue();
      assertThat(pod.getSpec().getSecurityContext().getSeccompProfile().getType())
          .isEqualTo("RuntimeDefault");
      assertThat(pod.getSpec().getHostNetwork()).isNull();
      for (Container container : pod.getSpec().getContainers()) {
        assertThat(container.getImage()).doesNotEndWith(":latest").contains(":");
        assertThat(container.getResources().getLimits()).containsKey("memory");
        assertThat(container.getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
        assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
        assertThat(container.getSecurityContext().getCapabilities().getDrop())
            .containsExactly("ALL");
      }
    }
  }

  @Test
  void theAlertsFireForTheirCausesAndNotWithoutThem() {
    assertThat(
            Programs.run(
                    List.of("promtool", "test", "rules", "src/test/resources/alerts/tests.yaml"),
                    "",
                    Map.of())
                .orFail())
        .contains("SUCCESS");
  }

  @Test
  void objectsForPrometheusAreCreatedOnlyWhereTheyAreAskedFor() {
    assertThat(kinds(ALL)).doesNotContain("ServiceMonitor", "PrometheusRule");
    assertThat(
            kinds(ALL, "metrics.serviceMonitor.enabled=true,metrics.prometheusRule.enabled=true"))
        .contains("ServiceMonitor", "PrometheusRule");
    assertThat(objects(Service.class, ALL, "metrics.serviceMonitor.enabled=true"))
        .extracting(service -> service.getMetadata().getName())
        .contains("assay-operator-metrics", "assay-mcp-frontend-metrics")
        .contains("assay-tool-gateway-metrics");
  }

  private List<String> kinds(String... values) {
    return objects(values).stream().map(HasMetadata::getKind).toList();
  }

  @Test
  void noRoleHasAWildcard() {
    List<PolicyRule> rules = new ArrayList<>();
    objects(Role.class, ALL).forEach(role -> rules.addAll(role.getRules()));
    objects(ClusterRole.class, ALL).stream()
        .filter(role -> role.getRules() != null)
        .forEach(role -> rules.addAll(role.getRules()));
    assertThat(rules).hasSizeGreaterThan(20);
    assertThat(rules)
        .allSatisfy(
            rule -> {
              assertThat(rule.getVerbs()).doesNotContain("*");
              assertThat(rule.getResources()).doesNotContain("*");
              assertThat(rule.getApiGroups()).doesNotContain("*");
            });
  }

  @Test
  void eachComponentTakesTheFieldsOfItsPods() {
    List<String> values = new ArrayList<>(List.of(ALL));
    for (String of : VALUES) {
      values.add(
          "%1$s.podLabels.team=a,%1$s.podAnnotations.note=b,%1$s.priorityClassName=high"
              .formatted(of));
      values.add("%1$s.affinity.nodeAffinity.x=y,%1$s.nodeSelector.disk=fast".formatted(of));
      values.add("%s.topologySpreadConstraints[0].topologyKey=zone".formatted(of));
      values.add("%1$s.tolerations[0].key=t,%1$s.extraEnv[0].name=E".formatted(of));
      values.add("%1$s.extraVolumes[0].name=v,%1$s.extraVolumeMounts[0].name=v".formatted(of));
    }
    for (String component : COMPONENTS) {
      PodTemplateSpec pod =
          deployment(component, values.toArray(String[]::new)).getSpec().getTemplate();
      assertThat(pod.getMetadata().getLabels())
          .containsEntry("team", "a")
          .containsEntry("app.kubernetes.io/component", component);
      assertThat(pod.getMetadata().getAnnotations())
          .containsEntry("note", "b")
          .containsKey("checksum/config");
      assertThat(pod.getSpec().getPriorityClassName()).isEqualTo("high");
      assertThat(pod.getSpec().getAffinity().getNodeAffinity()).isNotNull();
      assertThat(pod.getSpec().getNodeSelector()).containsEntry("disk", "fast");
      assertThat(pod.getSpec().getTopologySpreadConstraints()).hasSize(1);
      assertThat(pod.getSpec().getTolerations()).hasSize(1);
      Container container = pod.getSpec().getContainers().getFirst();
      assertThat(container.getEnv()).extracting("name").contains("E");
      assertThat(container.getVolumeMounts()).extracting("name").contains("v", "tmp");
      assertThat(pod.getSpec().getVolumes()).extracting("name").contains("v", "tmp");
    }
  }

  @Test
  void aComponentOfSeveralReplicasIsSpreadAndDrainedOneByOne() {
    assertThat(objects(PodDisruptionBudget.class, ALL, "toolGateway.replicas=1")).isEmpty();
    String two = "frontend.replicas=2," + TWO_OPERATORS;
    assertThat(objects(PodDisruptionBudget.class, ALL, two))
        .extracting(each -> each.getMetadata().getName())
        .containsExactlyInAnyOrder("assay-operator", "assay-mcp-frontend", "assay-tool-gateway");
    assertThat(objects(PodDisruptionBudget.class, ALL, two))
        .allSatisfy(
            budget -> {
              assertThat(budget.getSpec().getMaxUnavailable().getIntVal()).isEqualTo(1);
              String component = budget.getMetadata().getName().substring("assay-".length());
              assertThat(budget.getSpec().getSelector())
                  .isEqualTo(deployment(component, ALL, two).getSpec().getSelector());
            });
    for (String component : COMPONENTS) {
      assertThat(
              deployment(component, ALL, two)
                  .getSpec()
                  .getTemplate()
                  .getSpec()
                  .getAffinity()
                  .getPodAntiAffinity()
                  .getPreferredDuringSchedulingIgnoredDuringExecution())
          .hasSize(1);
    }
  }

  @Test
  void aDigestTakesThePlaceOfATag() {
    String digest = "sha256:" + "a".repeat(64);
    String[] values = {
      ALL,
      "image.registry=registry.example",
      "image.digests.operator=" + digest,
      "image.digests.runner=" + digest
    };
    assertThat(image(deployment("operator", values)))
        .isEqualTo("registry.example/assay/operator@" + digest);
    assertThat(image(deployment("mcp-frontend", values)))
        .isEqualTo("registry.example/assay/mcp-frontend:dev");
    assertThat(helm("template", values).orFail())
        .contains("image: registry.example/assay/runner@" + digest);
  }

  private static String image(Deployment deployment) {
    return deployment.getSpec().getTemplate().getSpec().getContainers().getFirst().getImage();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "operator.replicas=2, ReadWriteMany",
    "image.digests.operator=latest, image/digests/operator",
    "image.digests.web=sha256:0, additional properties 'web'",
    "frontend.podLabel.a=b, additional properties 'podLabel'",
    "classes.python=null, python",
    "operator.podLabels.app\\.kubernetes\\.io/component=x, operator.podLabels",
    "frontend.podAnnotations.checksum/config=x, frontend.podAnnotations",
    "toolGateway.extraEnv[0].name=POD_IP, toolGateway.extraEnv",
  })
  void valuesThatContradictAreRefusedWithTheirName(String value, String named) {
    Programs.Finished refused = helm("template", ALL, value);
    assertThat(refused.exit()).isNotZero();
    assertThat(refused.errors()).contains(named);
  }
}
