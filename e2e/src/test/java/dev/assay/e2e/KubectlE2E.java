package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetFormat;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Everything an agent's call does can be done, and seen, with kubectl alone. */
@Core
class KubectlE2E {
  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @Test
  void anAppliedRunRunsAndHoldsItsOutput(Assay assay) {
    String run = "analyticsrun/e2e-by-kubectl";
    kubectl(assay, "delete", run, "--ignore-not-found");
    apply(assay, "manifests/run.yaml");
    try {
      kubectl(assay, "wait", "--for=jsonpath={.status.phase}=Succeeded", run, "--timeout=120s");
      String code = kubectl(assay, "get", run, "-o", "jsonpath={.spec.code}");
      assertThat(kubectl(assay, "get", run, "-o", "jsonpath={.status.result.output}"))
          .isEqualTo(
              new PlainPandas(assay.installation())
                  .prints(DatasetFormat.CSV, Samples.file("data/sales.csv"), code));
      assertThat(kubectl(assay, "get", "arun", "e2e-by-kubectl"))
          .contains("CLASS", "PHASE", "RUN TIME", "Succeeded", "python");
    } finally {
      kubectl(assay, "delete", run);
    }
  }

  @Test
  void aRunIsCancelledByOnePatch(Assay assay) {
    String run = "analyticsrun/e2e-to-be-cancelled";
    kubectl(assay, "delete", run, "--ignore-not-found");
    apply(assay, "manifests/endless-run.yaml");
    try {
      kubectl(assay, "wait", "--for=jsonpath={.status.phase}=Running", run, "--timeout=120s");
      kubectl(assay, "patch", run, "--type=merge", "-p", "{\"spec\":{\"cancel\":true}}");
      kubectl(assay, "wait", "--for=jsonpath={.status.phase}=Cancelled", run, "--timeout=30s");
      assertThat(kubectl(assay, "get", run, "-o", "jsonpath={.status.result.output}"))
          .isEqualTo("begun\n");
    } finally {
      kubectl(assay, "delete", run);
    }
  }

  @Test
  void aRunWhosePodIsDeletedKeepsItsOutputAndSaysThatItStarted(Assay assay) {
    String run = "analyticsrun/e2e-to-be-cancelled";
    kubectl(assay, "delete", run, "--ignore-not-found");
    apply(assay, "manifests/endless-run.yaml");
    try {
      kubectl(assay, "wait", "--for=jsonpath={.status.phase}=Running", run, "--timeout=120s");
      String pod = kubectl(assay, "get", run, "-o", "jsonpath={.status.pod.name}");
      kubectl(assay, "delete", "pod", pod, "--wait=false");
      kubectl(assay, "wait", "--for=jsonpath={.status.phase}=Failed", run, "--timeout=60s");
      assertThat(
              kubectl(
                  assay,
                  "get",
                  run,
                  "-o",
                  "jsonpath={.status.reason} {.status.payloadStarted} {.status.result.output}"))
          .isEqualTo("PodLost Yes begun\n");
    } finally {
      kubectl(assay, "delete", run);
    }
  }

  @Test
  void aCallOfAnAgentIsARunThatKubectlLists(Assay assay) {
    assertThat(assay.run("sales_data", "print('look for me')").isError()).isFalse();
    assertThat(
            kubectl(
                assay,
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

  private static String kubectl(Assay assay, String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = "-n";
    all[1] = assay.namespace();
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return Programs.kubectl(all).orFail();
  }
}
