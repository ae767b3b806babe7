package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.assay.api.v1alpha1.AnalyticsRun;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.DatasetSpecBuilder;
import dev.assay.api.v1alpha1.Language;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two callers of one namespace: a key without a share, and one that may do all with all runs. */
@Core
@ClusterOnly("its one key may read all runs")
class CallersE2E {
  private static final String LIMITED = "execute_custom_analytics_code";

  @Test
  void aRunOfAnotherCallerDoesNotExist(Assay assay) {
    String marker = UUID.randomUUID().toString();
    AnalyticsRun run = ran(assay, marker);
    String name = run.getMetadata().getName();
    try (McpSyncClient other = assay.connect(assay.installation().otherKey())) {
      for (String tool : new String[] {"get_run", "cancel_run"}) {
        assertThat(call(other, tool, Map.of("name", name)).text())
            .contains("There is no run '" + name + "'");
      }
      assertThat(call(other, "list_runs", Map.of("limit", 100)).text()).doesNotContain(name);
      assertThatThrownBy(
              () ->
                  other.readResource(
                      ReadResourceRequest.builder("assay://runs/" + name + "/output").build()))
          .isInstanceOf(McpError.class)
          .hasMessageContaining("There is no run");
      String taken =
          call(
                  other,
                  LIMITED,
                  Map.of(
                      "dataset_name",
                      "sales_data",
                      "python_code",
                      "print(open('inputs/a.txt').read())",
                      "inputs",
                      new Object[] {Map.of("run", name, "artifact", "artifacts/a.txt")}))
              .text();
      assertThat(taken).contains("was not found").doesNotContain(marker);
    }
    assertThat(assay.call("get_run", Map.of("name", name)).text()).contains("done");
  }

  @Test
  void aKeyForAllRunsReadsThoseOfOthers(Assay assay) {
    Samples.sales(assay);
    String marker = UUID.randomUUID().toString();
    try (McpSyncClient other = assay.connect(assay.installation().otherKey())) {
      call(
          other,
          LIMITED,
          Map.of("dataset_name", "sales_data", "python_code", "print('" + marker + "')"));
    }
    String name =
        assay.runs().inNamespace(assay.namespace()).list().getItems().stream()
            .filter(run -> String.valueOf(run.getSpec().code()).contains(marker))
            .findFirst()
            .orElseThrow()
            .getMetadata()
            .getName();
    assertThat(assay.call("get_run", Map.of("name", name)).text()).contains(marker);
  }

  @Test
  void aUserOfKubectlCreatesRunsAndDatasetsInTheirOwnNameOrInNone(Assay assay) {
    String user = "user-" + UUID.randomUUID();
    RoleBinding edit =
        new RoleBindingBuilder()
            .withNewMetadata()
            .withNamespace(assay.namespace())
            .withName(user)
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "assay-edit")
            .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
            .build();
    Config as =
        new ConfigBuilder(assay.kubernetes().getConfiguration())
            .withImpersonateUsername(user)
            .build();
    assay.kubernetes().resource(edit).create();
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(as).build()) {
      assertThat(refusalOf(client, run(assay, null))).isEmpty();
      assertThat(refusalOf(client, run(assay, user))).isEmpty();
      assertThat(refusalOf(client, dataset(assay, user, user))).isEmpty();
      for (HasMetadata ofAnother : List.of(run(assay, "me"), dataset(assay, user + "-2", "me"))) {
        assertThat(refusalOf(client, ofAnother))
            .contains("spec.caller must be absent or your user name, " + user);
      }
    } finally {
      assay
          .kubernetes()
          .resources(Dataset.class)
          .inNamespace(assay.namespace())
          .withName(user)
          .delete();
      assay.kubernetes().resource(edit).delete();
    }
  }

  private static AnalyticsRun run(Assay assay, @Nullable String caller) {
    AnalyticsRun run = new AnalyticsRun();
    run.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace(assay.namespace())
            .withGenerateName("of-a-user-")
            .build());
    run.setSpec(
        AnalyticsRunSpecBuilder.builder()
            .language(Language.PYTHON)
            .code("1")
            .caller(caller)
            .build());
    return run;
  }

  private static Dataset dataset(Assay assay, String name, String caller) {
    Dataset dataset = new Dataset();
    dataset.setMetadata(
        new ObjectMetaBuilder().withNamespace(assay.namespace()).withName(name).build());
    dataset.setSpec(
        DatasetSpecBuilder.builder()
            .className("snapshot")
            .source(DatasetSource.inline(DatasetFormat.CSV, "a\n1\n"))
            .caller(caller)
            .build());
    return dataset;
  }

  /** Creates an object; returns why it was refused, or nothing. */
  private static String refusalOf(KubernetesClient client, HasMetadata wanted) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (true) {
      try {
        client.resource(wanted).create();
        return "";
      } catch (KubernetesClientException e) {
        // Authorization learns of the new binding a moment later.
        if (!String.valueOf(e.getMessage()).contains("cannot create resource")
            || System.nanoTime() > end) {
          return String.valueOf(e.getMessage());
        }
        LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
      }
    }
  }

  private static AnalyticsRun ran(Assay assay, String marker) {
    Samples.sales(assay);
    String code = "open('artifacts/a.txt', 'w').write('%s')\nprint('done')".formatted(marker);
    assertThat(assay.run("sales_data", code, 60).text()).startsWith("done");
    return assay.runs().inNamespace(assay.namespace()).list().getItems().stream()
        .filter(run -> code.equals(run.getSpec().code()))
        .findFirst()
        .orElseThrow();
  }

  private static Reply call(McpSyncClient client, String tool, Map<String, Object> arguments) {
    return Reply.of(
        client.callTool(CallToolRequest.builder(tool).arguments(arguments).build()), Duration.ZERO);
  }
}
