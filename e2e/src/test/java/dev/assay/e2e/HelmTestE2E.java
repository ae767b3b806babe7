package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What {@code helm test} and {@code assay doctor --cluster} report of an installation. */
@Core
class HelmTestE2E {
  private static final String SYSTEM = "assay-system";
  private static final long MAX_SECONDS = 660;

  private final Assay assay;

  HelmTestE2E(Assay assay) {
    this.assay = assay;
  }

  private Programs.Finished test() {
    List<String> command =
        List.of("helm", "test", "assay", "--namespace", SYSTEM, "--logs", "--timeout", "10m");
    return Programs.run(command, "", Map.of(), MAX_SECONDS);
  }

  @Test
  void itMakesARunOfEachLanguageAndTriesWhatMustBeRefused() {
    String said = test().orFail();

    assertThat(said).doesNotContain("FAIL");
    for (String language : List.of("python", "polars", "sql", "javascript", "typescript")) {
      assertThat(said).contains("ok    " + assay.namespace() + ": " + language + " answered after");
    }
    assertThat(said)
        .contains(
            "ok    the operator's endpoint refuses connections of this Pod",
            "ok    " + assay.namespace() + ": run Pods refuse connections of this Pod",
            "ok    " + assay.namespace() + ": code cannot open a connection",
            "ok    " + assay.namespace() + ": a dataset was loaded in");
  }

  /** Other scenarios fill quotas and open networks meanwhile, so that it may find something. */
  @Test
  void theDoctorReadsTheSameInstallationFromOutside() {
    assertThat(assay.program("doctor", "--cluster").output())
        .contains(
            "ok       Kubernetes v",
            "ok       the CRD runclasses.assay.dev serves v1alpha1",
            "ok       assay-operator: ",
            "ok       assay-mcp-frontend: ",
            "ok       the operator leads: ",
            "ok       RunClasses: ",
            "ok       " + assay.namespace() + ": Pod Security is restricted",
            "ok       " + assay.namespace() + ": it has the RoleBinding assay-operator",
            "helm test assay --namespace " + SYSTEM)
        .doesNotContain("may not read");
  }

  @Test
  void itNamesWhatIsWrong() {
    Resource<ResourceQuota> full =
        assay
            .kubernetes()
            .resourceQuotas()
            .inNamespace(assay.namespace())
            .resource(
                new ResourceQuotaBuilder()
                    .withNewMetadata()
                    .withName("helm-test-full")
                    .endMetadata()
                    .withNewSpec()
                    .addToHard("pods", new Quantity("0"))
                    .endSpec()
                    .build());
    full.create();
    try {
      full.waitUntilCondition(
          quota ->
              quota != null
                  && quota.getStatus() != null
                  && quota.getStatus().getUsed() != null
                  && quota.getStatus().getUsed().containsKey("pods"),
          1,
          TimeUnit.MINUTES);

      Programs.Finished finished = test();

      assertThat(finished.exit()).isNotZero();
      assertThat(finished.output() + finished.errors())
          .containsPattern(
              "FAIL  the quota helm-test-full of "
                  + assay.namespace()
                  + " has no pods left \\(\\d+ of 0 used\\): wait until runs have ended, or raise it");
      assertThat(
              assay
                  .kubernetes()
                  .rbac()
                  .roles()
                  .inNamespace(assay.namespace())
                  .withName("assay-test")
                  .get())
          .as("its rights end with it")
          .isNull();
    } finally {
      full.delete();
    }
  }
}
