package dev.assay.training;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.BoundPod;
import dev.assay.operator.AssayOperator;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a short run that is given a warm Pod costs the API server. */
@Tag("slow")
class WarmRunRequestsTest {
  private static final String WRITE = "PATCH analyticsruns/RUN/status";

  @Test
  void nothingIsReadOrListedBeforeTheBindAndNothingOfTheRunAfterIt(@TempDir Path directory)
      throws Exception {
    RequestLog log = new RequestLog();
    try (InProcess assay = new InProcess(directory);
        KubernetesClient requests = log.client(assay.config());
        AssayOperator operator =
            assay.operator(
                "one",
                requests,
                null,
                e -> {
                  throw new IllegalStateException(e);
                })) {
      assay.haveOneIdlePod();
      operator.start();
      assay.awaitIdlePod(0);
      // The first run of a class reports its image.
      assay.run("first");
      assay.awaitIdlePod(1);
      log.clear();
      BoundPod pod = requireNonNull(assay.run("second").pod());
      assertThat(pod.warm()).isTrue();
      // The Pod is adopted after its run has ended, and may be deleted before it is adopted.
      log.await("PATCH pods/" + pod.name());
      List<String> sent = sent(log, pod.name());
      assertThat(sent).as("of all requests, the first").startsWith(WRITE);
      assertThat(sent)
          .filteredOn(request -> request.contains("analyticsruns/RUN"))
          .as("bound, and finished")
          .containsExactly(WRITE, WRITE);
      assertThat(sent)
          .filteredOn(request -> request.contains("pods/POD"))
          .as("adopted and deleted, in either order")
          .containsExactlyInAnyOrder("PATCH pods/POD", "DELETE pods/POD");
    }
  }

  private static List<String> sent(RequestLog log, String pod) {
    return log.sent()
        .filter(sent -> !sent.isWatch())
        .map(sent -> sent.toString().replace("runs/second", "runs/RUN").replace(pod, "POD"))
        .toList();
  }
}
