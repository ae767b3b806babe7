package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The end of an operator process does not affect runs. */
@Full
class OperatorRestartE2E {
  private static final String RUN = "analyticsrun/e2e-outlives-the-operator";
  private static final String OPERATOR = "app.kubernetes.io/component=operator";

  @Test
  void aRunOutlivesTheOperatorWithAllOfItsOutput(Assay assay) {
    String namespace = assay.namespace();
    String system = assay.installation().systemNamespace();
    Programs.kubectl("-n", namespace, "delete", RUN, "--ignore-not-found").orFail();
    Programs.kubectlWithInput(
            Samples.text("manifests/ticking-run.yaml"), "apply", "-n", namespace, "-f", "-")
        .orFail();
    try {
      waitFor(namespace, "{.status.phase}=Running");
      Programs.kubectl("-n", system, "delete", "pod", "-l", OPERATOR, "--grace-period=0", "--force")
          .orFail();
      waitFor(namespace, "{.status.phase}=Succeeded");
      assertThat(get(namespace, "{.status.result.output}"))
          .isEqualTo(
              IntStream.range(0, 20)
                  .mapToObj(i -> "tick " + i + "\n")
                  .collect(Collectors.joining()));
      assertThat(get(namespace, "{.status.payloadStarted}")).isEqualTo("Yes");
    } finally {
      Programs.kubectl("-n", namespace, "delete", RUN).orFail();
      Programs.kubectl(
              "-n", system, "rollout", "status", "deployment/assay-operator", "--timeout=120s")
          .orFail();
    }
  }

  @Test
  void aFinishedRunGoesAfterItsTimeToLive(Assay assay) {
    String run = "analyticsrun/e2e-short-lived";
    Programs.kubectlWithInput(
            Samples.text("manifests/short-lived-run.yaml"),
            "apply",
            "-n",
            assay.namespace(),
            "-f",
            "-")
        .orFail();
    Programs.kubectl("-n", assay.namespace(), "wait", "--for=delete", run, "--timeout=60s")
        .orFail();
  }

  private static void waitFor(String namespace, String jsonPath) {
    Programs.kubectl("-n", namespace, "wait", "--for=jsonpath=" + jsonPath, RUN, "--timeout=120s")
        .orFail();
  }

  private static String get(String namespace, String jsonPath) {
    return Programs.kubectl("-n", namespace, "get", RUN, "-o", "jsonpath=" + jsonPath).orFail();
  }
}
