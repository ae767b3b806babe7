package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A dataset and a run that uses it can be applied in one kubectl apply. */
@Core
class AppliedTogetherE2E {
  private static final String DATASET = "e2e-mended";
  private static final String RUN = "analyticsrun/e2e-over-mended";

  @BeforeEach
  @AfterEach
  void remove(Assay assay) {
    assay.kubectl("delete", RUN, "dataset/" + DATASET, "--ignore-not-found");
  }

  @Test
  void aRunWaitsForTheFixedDatasetThatWasAppliedWithIt(Assay assay) {
    assay.createDataset(
        DATASET,
        null,
        DatasetSource.inline(DatasetFormat.CSV, "a\n1\n")
            .withOptions(Map.of("no_such_option", JsonNodeFactory.instance.numberNode(1))));
    assertThat(assay.awaitSettled(DATASET).phase()).isEqualTo(DatasetPhase.Failed);

    Programs.kubectlWithInput(
            Samples.text("manifests/mended-dataset-and-run.yaml"),
            "apply",
            "-n",
            assay.namespace(),
            "-f",
            "-")
        .orFail();

    assay.kubectl("wait", "--for=condition=Finished", RUN, "--timeout=120s");
    assertThat(assay.kubectl("get", RUN, "-o", "jsonpath={.status.reason} {.status.result.output}"))
        .isEqualTo("Completed 3\n");
  }
}
