package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetFormat;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Everything that an agent's call does can be done and observed with kubectl alone. */
@Core
class KubectlE2E {
  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Test
  void anAppliedRunRunsAndHoldsItsOutput(Assay assay) {
    String run = "analyticsrun/e2e-by-kubectl";
    assay.kubectl("delete", run, "--ignore-not-found");
    apply(assay, "manifests/run.yaml");
    try {
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", run, "--timeout=120s");
      String code = assay.kubectl("get", run, "-o", "jsonpath={.spec.code}");
      assertThat(assay.kubectl("get", run, "-o", "jsonpath={.status.result.output}"))
          .isEqualTo(
              new PlainPandas(assay.installation())
                  .prints(DatasetFormat.CSV, Samples.file("data/sales.csv"), code));
      assertThat(assay.kubectl("get", "arun", "e2e-by-kubectl"))
          .contains("CLASS", "PHASE", "RUN TIME", "Succeeded", "python");
    } finally {
      assay.kubectl("delete", run);
    }
  }

  @Test
  void aRunIsCancelledByOnePatch(Assay assay) {
    String run = "analyticsrun/e2e-to-be-cancelled";
    assay.kubectl("delete", run, "--ignore-not-found");
    apply(assay, "manifests/endless-run.yaml");
    try {
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=Running", run, "--timeout=120s");
      assay.kubectl("patch", run, "--type=merge", "-p", "{\"spec\":{\"cancel\":true}}");
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=Cancelled", run, "--timeout=30s");
      assertThat(assay.kubectl("get", run, "-o", "jsonpath={.status.result.output}"))
          .isEqualTo("begun\n");
    } finally {
      assay.kubectl("delete", run);
    }
  }

  @Test
  void aRunWhosePodIsDeletedKeepsItsOutputAndSaysThatItStarted(Assay assay) {
    String run = "analyticsrun/e2e-to-be-cancelled";
    assay.kubectl("delete", run, "--ignore-not-found");
    apply(assay, "manifests/endless-run.yaml");
    try {
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=Running", run, "--timeout=120s");
      String pod = assay.kubectl("get", run, "-o", "jsonpath={.status.pod.name}");
      assay.kubectl("delete", "pod", pod, "--wait=false");
      assay.kubectl("wait", "--for=jsonpath={.status.phase}=Failed", run, "--timeout=60s");
      assertThat(
              assay.kubectl(
                  "get",
                  run,
                  "-o",
                  "jsonpath={.status.reason} {.status.payloadStarted} {.status.result.output}"))
          .isEqualTo("PodLost Yes begun\n");
    } finally {
      assay.kubectl("delete", run);
    }
  }

  @Test
  void aCallOfAnAgentIsARunThatKubectlLists(Assay assay) {
    assertThat(assay.run("sales_data", "print('look for me')").isError()).isFalse();
    assertThat(
            assay.kubectl(
                "get",
                "analyticsruns",
                "-o",
                "jsonpath={range .items[*]}{.spec.tool}|{.spec.code}|{.status.phase}{\"\\n\"}{end}"))
        .contains(Assay.TOOL + "|print('look for me')|Succeeded");
  }

  private static void apply(Assay assay, String manifest) {
    Programs.kubectlWithInput(Samples.text(manifest), "apply", "-n", assay.namespace(), "-f", "-")
        .orFail();
  }
}
