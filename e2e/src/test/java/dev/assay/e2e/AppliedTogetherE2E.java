package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.DatasetPhase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A dataset and a run that uses it can be applied in one kubectl apply. */
@Core
class AppliedTogetherE2E {
  private static final String DATASET = "e2e-fixed";
  private static final String RUN = "analyticsrun/e2e-over-fixed";

  @BeforeEach
  @AfterEach
  void remove(Assay assay) {
    assay.kubectl("delete", RUN, "dataset/" + DATASET, "--ignore-not-found");
  }

  @Test
  void aRunWaitsForTheFixedDatasetThatWasAppliedWithIt(Assay assay) {
    // With kubectl, too: it removes only fields of its own earlier apply.
    apply(assay, "manifests/broken-dataset.yaml");
    assertThat(assay.awaitSettled(DATASET).phase()).isEqualTo(DatasetPhase.Failed);

    apply(assay, "manifests/fixed-dataset-and-run.yaml");

    assay.kubectl("wait", "--for=condition=Finished", RUN, "--timeout=120s");
    assertThat(assay.kubectl("get", RUN, "-o", "jsonpath={.status.reason} {.status.result.output}"))
        .isEqualTo("Completed 3\n");
  }

  private static void apply(Assay assay, String manifest) {
    Programs.kubectlWithInput(Samples.text(manifest), "apply", "-n", assay.namespace(), "-f", "-")
        .orFail();
  }
}
