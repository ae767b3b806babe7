package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetSource;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** What is denied to a caller, in an installation with keys and a scheduler. */
@Core
class BadAccessE2E {
  @Test
  void aDatasetThatIsStillLoadingIsToldApartFromOneThatIsNot(Assay assay) {
    Programs.kubectlWithInput(
            Samples.text("manifests/unschedulable-class.yaml"), "apply", "-f", "-")
        .orFail();
    try {
      assay.createDataset(
          "late_data", "e2e-unschedulable", DatasetSource.inline(DatasetFormat.CSV, "a\n1\n"));
      Reply reply = assay.run("late_data", "print(df)");
      assertThat(reply.isError()).isTrue();
      assertThat(reply.text())
          .startsWith("EXECUTION ERROR: DatasetNotReady: Dataset 'late_data' is still loading")
          .contains("The code was not started");
    } finally {
      assay
          .kubernetes()
          .resources(Dataset.class)
          .inNamespace(assay.namespace())
          .withName("late-data")
          .delete();
      Programs.kubectl("delete", "runclass", "e2e-unschedulable", "--wait=false");
    }
  }

  @Test
  void withoutAKeyThereIsNoAnswer(Assay assay) throws IOException, InterruptedException {
    String list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          http.send(
              assay
                  .request()
                  .setHeader("Authorization", "Bearer " + "0".repeat(64))
                  .POST(BodyPublishers.ofString(list))
                  .build(),
              BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(401);
    }
  }
}
