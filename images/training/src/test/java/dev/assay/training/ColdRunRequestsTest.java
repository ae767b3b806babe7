package dev.assay.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.frontend.FrontEnd;
import dev.assay.frontend.KubernetesCluster;
import dev.assay.frontend.config.FrontEndConfig;
import dev.assay.frontend.config.YamlFile;
import dev.assay.frontend.dataset.UploadRelay;
import dev.assay.frontend.http.EndpointMemory;
import dev.assay.frontend.identity.Identities;
import dev.assay.frontend.identity.Identity;
import dev.assay.frontend.run.OutputStore;
import dev.assay.operator.AssayOperator;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a short run that is created by the front end costs the API server. */
@Tag("slow")
class ColdRunRequestsTest {
  /** Sent by another thread than that of the run, possibly after the run has ended. */
  private static final String EVENT = "POST events";

  private static final String CONFIG =
      """
      listen: {address: 127.0.0.1, port: 0}
      auth: {mode: disabled, caller: test, namespace: assay-runs}
      namespaces: [assay-runs]
      """;

  @Test
  void aShortRunMakesTheseRequestsAndNoOthers(@TempDir Path directory) throws Exception {
    RequestLog ofOperator = new RequestLog();
    RequestLog ofFrontEnd = new RequestLog();
    FrontEndConfig config =
        YamlFile.read(
            Files.writeString(directory.resolve("front-end.yaml"), CONFIG), FrontEndConfig.class);
    try (InProcess assay = new InProcess(directory);
        KubernetesClient first = ofOperator.client(assay.config());
        KubernetesClient second = ofFrontEnd.client(assay.config());
        AssayOperator operator =
            assay.operator(
                "one",
                first,
                null,
                e -> {
                  throw new IllegalStateException(e);
                });
        KubernetesCluster cluster = new KubernetesCluster(second, List.of("assay-runs"), false);
        FrontEnd frontEnd =
            new FrontEnd(
                config,
                Identities.everybodyIs(new Identity("test", "assay-runs")),
                cluster.with(OutputStore.NONE, UploadRelay.NONE),
                EndpointMemory.ofHeap(config),
                FrontEnd.Times.DEFAULT,
                ProgramMetrics.unread())) {
      operator.start();
      frontEnd.start();
      // The first run of a class reports its image.
      assay.run("first");
      ofOperator.await(EVENT);
      ofOperator.clear();
      ofFrontEnd.clear();
      String name = run(URI.create("http://127.0.0.1:" + frontEnd.address().getPort()));
      assay.awaitNoPod(name);
      ofOperator.await(EVENT);
      assertThat(requestsOf(name, ofFrontEnd))
          .containsExactlyInAnyOrder(
              "POST analyticsruns",
              // Before it waits: the run may have ended since it was created.
              "GET analyticsruns/RUN",
              // For the request that reads it.
              "GET analyticsruns/RUN");
      assertThat(requestsOf(name, ofOperator))
          .containsExactlyInAnyOrder(
              "POST pods",
              // Which Pod it gets.
              EVENT,
              // Bound, and finished.
              "PATCH analyticsruns/RUN/status",
              "PATCH analyticsruns/RUN/status",
              "DELETE pods/POD");
    }
  }

  /** Creates a run, waits for its end and reads it; returns its name. */
  private static String run(URI endpoint) throws Exception {
    try (Calls calls = new Calls(endpoint, "any")) {
      String created =
          calls.rest(
              "POST",
              "/runs",
              "{\"code\": \"print('x')\", \"runClass\": \"plain\", \"waitSeconds\": 30}");
      String name = new ObjectMapper().readTree(created).path("name").asText();
      assertThat(calls.rest("GET", "/runs/" + name, "")).contains("Succeeded");
      return name;
    }
  }

  private static List<String> requestsOf(String run, RequestLog log) {
    return log.sent()
        .filter(sent -> !sent.isWatch())
        .map(sent -> sent.toString().replace(run, "RUN").replaceFirst("pods/run-.*", "pods/POD"))
        .toList();
  }
}
