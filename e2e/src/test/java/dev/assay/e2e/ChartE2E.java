package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the chart renders, by values and what is in the cluster. Nothing is installed. */
@Core
class ChartE2E {
  private static final String CHART = "../helm/assay";
  private static final String KUBERNETES = "1.34.0";
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
      command.addAll(List.of("assay", CHART, "--kube-version", KUBERNETES));
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
    return assay.kubernetes().load(new ByteArrayInputStream(rendered.getBytes(UTF_8))).items();
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
  void aClusterOfAnEarlierVersionIsRefused() {
    Programs.Finished refused =
        Programs.run(
            List.of("helm", "template", "assay", CHART, "--kube-version", "1.29.9", "--set", ALL),
            "",
            Map.of());
    assertThat(refused.exit()).isNotZero();
    assertThat(refused.errors()).contains(">=1.30.0", "v1.29.9");
  }

  @Test
  void eachPodIsRestrictedAndNoImageIsTheLatest() {
    List<PodSpec> pods =
        objects(ALL).stream()
            .flatMap(
                each ->
                    switch (each) {
                      case Deployment deployment ->
                          Stream.of(deployment.getSpec().getTemplate().getSpec());
                      case Job job -> Stream.of(job.getSpec().getTemplate().getSpec());
                      case Pod pod -> Stream.of(pod.getSpec());
                      default -> Stream.of();
                    })
            .toList();
    assertThat(pods).hasSize(5);
    for (PodSpec pod : pods) {
      assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
      assertThat(pod.getSecurityContext().getSeccompProfile().getType())
          .isEqualTo("RuntimeDefault");
      assertThat(pod.getHostNetwork()).isNull();
      assertThat(pod.getHostPID()).isNull();
      assertThat(pod.getHostIPC()).isNull();
      assertThat(pod.getVolumes()).allSatisfy(volume -> assertThat(volume.getHostPath()).isNull());
      for (Container container : pod.getContainers()) {
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
  void noRoleHasAWildcardOrLeadsToMoreRights() {
    List<PolicyRule> rules = new ArrayList<>();
    objects(Role.class, ALL).forEach(role -> rules.addAll(role.getRules()));
    List<PolicyRule> everywhere =
        objects(ClusterRole.class, ALL).stream().flatMap(role -> role.getRules().stream()).toList();
    assertThat(everywhere)
        .allSatisfy(
            rule ->
                assertThat(rule.getResources()).doesNotContain("secrets", "pods", "configmaps"));
    rules.addAll(everywhere);
    assertThat(rules).hasSizeGreaterThan(20);
    assertThat(rules)
        .allSatisfy(
            rule -> {
              assertThat(rule.getVerbs()).doesNotContain("*", "escalate", "bind", "impersonate");
              assertThat(rule.getResources())
                  .doesNotContain("*", "pods/exec", "pods/ephemeralcontainers", "nodes/proxy");
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
  void eachNamespaceOfTheChartEnforcesRestrictedPods() {
    List<Namespace> namespaces = objects(Namespace.class, ALL);
    assertThat(namespaces).hasSize(2);
    assertThat(namespaces)
        .allSatisfy(
            namespace ->
                assertThat(namespace.getMetadata().getLabels())
                    .containsEntry("pod-security.kubernetes.io/enforce", "restricted"));
  }

  @Test
  void aRunNamespaceHasTheDefaultQuotaUnlessItHasItsOwn() {
    String[] values = {
      ALL,
      "runNamespaces[0].name=a,runNamespaces[1].name=b,runNamespaces[1].quota.pods=7",
      "operator.outputStore.size=20Gi,runNamespaceDefaults.quota.pods=20",
      "runNamespaceDefaults.limitRange[0].type=Container",
      "runNamespaceDefaults.limitRange[0].max.memory=8Gi"
    };
    assertThat(objects(ResourceQuota.class, values))
        .extracting(
            quota -> quota.getMetadata().getNamespace(),
            quota -> quota.getSpec().getHard().get("pods").getAmount())
        .containsExactly(tuple("a", "20"), tuple("b", "7"));
    assertThat(objects(LimitRange.class, values))
        .extracting(range -> range.getSpec().getLimits().getFirst().getMax().get("memory"))
        .containsExactly(new Quantity("8Gi"), new Quantity("8Gi"));
    assertThat(objects(ALL))
        .as("none by default")
        .noneMatch(each -> each instanceof ResourceQuota || each instanceof LimitRange);
  }

  @Test
  void nothingIsPutIntoANamespaceThatOthersCreate() {
    String[] values = {
      ALL,
      "runNamespaces[0].name=a,runNamespaces[1].name=b,runNamespaces[1].external=true",
      "runNamespaceDefaults.quota.pods=20,operator.outputStore.size=20Gi",
      "runNamespaces[1].quota.pods=0"
    };
    assertThat(objects(values))
        .extracting(each -> each.getMetadata().getNamespace())
        .contains("a")
        .doesNotContain("b");
    assertThat(objects(ConfigMap.class, values))
        .filteredOn(each -> each.getMetadata().getName().equals("assay-operator"))
        .singleElement()
        .satisfies(
            config -> {
              assertThat(config.getData().get("operator.yaml")).contains("name: b");
              assertThat(config.getMetadata().getAnnotations())
                  .containsEntry("assay.dev/external-namespaces", "b");
            });
    assertThat(objects(Pod.class, values))
        .singleElement()
        .asString()
        .contains("\"namespaces\":[\"a\"]", "\"external\":[\"b\"]");
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

  @ParameterizedTest
  @CsvSource({
    "other, x, the Secret \"e2e-keys\" has no entry keys.yaml",
    "keys.yaml, 'keys: []', contains no list of keys",
    "keys.yaml, 'keys: [{caller: a}]', ''"
  })
  void aSecretThatExistsMustHaveKeys(String entry, String text, String refusal) {
    String namespace = assay.installation().systemNamespace();
    Secret secret =
        new SecretBuilder()
            .withNewMetadata()
            .withName("e2e-keys")
            .withNamespace(namespace)
            .endMetadata()
            .addToData(entry, Base64.getEncoder().encodeToString(text.getBytes(UTF_8)))
            .build();
    assay.kubernetes().resource(secret).create();
    try {
      List<String> command = new ArrayList<>(List.of("helm", "template", "assay", CHART));
      command.addAll(List.of("--dry-run=server", "--kube-version", KUBERNETES));
      command.addAll(List.of("--namespace", namespace));
      command.addAll(List.of("--set", "auth.existingSecret=e2e-keys"));
      Programs.Finished finished = Programs.run(command, "", Map.of());
      assertThat(finished.errors()).contains(refusal);
      assertThat(finished.exit() == 0).isEqualTo(refusal.isEmpty());
    } finally {
      assay.kubernetes().resource(secret).delete();
    }
  }

  /** As the chart of a release has them. */
  @Test
  void digestsOfAllImagesComeBeforeTheTagOfTheRelease() {
    List<String> values = new ArrayList<>(List.of(ALL, "image.tag=1.2.3"));
    String digest = "sha256:" + "a".repeat(64);
    for (String image :
        List.of("operator", "mcp-frontend", "tool-gateway", "runner", "jvm-runner")) {
      values.add("image.digests.%s=%s".formatted(image, digest));
    }
    assertThat(helm("template", values.toArray(String[]::new)).orFail())
        .contains("assay/operator@" + digest, "assay/jvm-runner@" + digest)
        .doesNotContain(":1.2.3");
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
    "classes.sql-large.allowedNamespaces[0]=other, classes.sql-large: none of its allowedNamesp",
    "classes.python.languages=null, classes.python: a class of purpose Run names its languages",
    "classes.snapshot.maxConcurrentRuns=1, classes.snapshot: maxConcurrentRuns is for classes of",
    "classes.python.defaultFor={sql}, classes.python: defaultFor has sql",
    "classes.python.timeouts.defaultSeconds=601, classes.python.timeouts: defaultSeconds",
    "'classes.python.warmPool.min=2,classes.python.warmPool.max=1', classes.python.warmPool: min",
    "classes.python.resources.cpuRequest=1500m, classes.python.resources: cpuRequest is above cpu",
    "runNamespaceDefaults.quota.pods=0, one Pod of class python needs 1",
    "runNamespaceDefaults.quota.limits\\.memory=600Mi, one Pod of class python needs 610Mi",
    "runNamespaceDefaults.quota.requests\\.cpu=1, one Pod of class python needs 1.05",
    "'runNamespaceDefaults.limitRange[0].type=Pod,runNamespaceDefaults.limitRange[0].max.cpu=1',"
        + " that of class python needs 2",
    "runNamespaceDefaults.quota.requests\\.storage=5Gi, of assay-runs allows 5Gi of storage",
    "operator.outputStore.size=6911Mi, operator.outputStore: size 6911Mi is below the 6912Mi",
    "'runNamespaces[0].name=a,runNamespaces[0].external=true,runNamespaces[0].create=true',"
        + " a has both external and create: set create to false",
    "'runNamespaces[0].name=a,runNamespaces[1].name=b', size 10Gi is below the 12800Mi",
    "operator.outputStore.limits.cacheMaxBytesPerNamespace=5368709121, cacheMaxBytesPerNamespace is",
    "frontend.defaults.maxTimeoutSeconds=100, codeTimeoutSeconds is above maxTimeoutSeconds",
    "frontend.limits.maxConcurrentCalls=127, maxConcurrentCallsPerCaller is above",
  })
  void valuesThatContradictAreRefusedWithTheirName(String value, String named) {
    Programs.Finished refused = helm("template", ALL, value);
    assertThat(refused.exit()).isNotZero();
    assertThat(refused.errors()).contains(named);
  }
}
