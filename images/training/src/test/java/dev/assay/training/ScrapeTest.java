package dev.assay.training;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.http.HealthEndpoint;
import dev.assay.api.metrics.ApiRequestMetrics;
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
import dev.assay.operator.kubernetes.ApiClients;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus reads of an operator and a front end that have executed a run. */
@Tag("slow")
class ScrapeTest {
  private static final Pattern SAMPLE = Pattern.compile("(\\w+(?:\\{.*\\})?) (\\S+)");

  private static final String CONFIG =
      """
      listen: {address: 127.0.0.1, port: 0}
      auth: {mode: disabled, caller: test, namespace: assay-runs}
      namespaces: [assay-runs]
      """;

  @Test
  void aRunAndACallAreCountedWithTheirTimes(@TempDir Path directory) throws Exception {
    FrontEndConfig config =
        YamlFile.read(
            Files.writeString(directory.resolve("front-end.yaml"), CONFIG), FrontEndConfig.class);
    try (ProgramMetrics ofOperator = ProgramMetrics.ofProcess();
        ProgramMetrics ofFrontEnd = ProgramMetrics.create();
        InProcess assay = new InProcess(directory);
        KubernetesClient client =
            ApiClients.create(assay.config(), new ApiRequestMetrics(ofOperator));
        AssayOperator operator =
            assay.operator(
                "one",
                client,
                null,
                ofOperator,
                e -> {
                  throw new IllegalStateException(e);
                });
        KubernetesCluster cluster =
            new KubernetesCluster(assay.client(), List.of("assay-runs"), false);
        FrontEnd frontEnd =
            new FrontEnd(
                config,
                Identities.everybodyIs(new Identity("test", "assay-runs")),
                cluster.with(OutputStore.NONE, UploadRelay.NONE),
                EndpointMemory.ofHeap(config),
                FrontEnd.Times.DEFAULT,
                ofFrontEnd)) {
      operator.start();
      frontEnd.start();
      URI address = URI.create("http://127.0.0.1:" + frontEnd.address().getPort());
      try (Calls calls = new Calls(address, "any")) {
        String created =
            calls.rest(
                "POST",
                "/runs",
                "{\"code\": \"print('x')\", \"runClass\": \"plain\", \"waitSeconds\": 30}");
        String name = new ObjectMapper().readTree(created).path("name").asText();
        calls.tool("get_run", "{\"name\": \"" + name + "\"}");
        assay.awaitNoPod(name);
      }
      assertThat(scrape(ofOperator))
          .containsEntry("assay_operator_leader", 1.0)
          .containsEntry(
              "assay_runs_ended_total{class=\"plain\",namespace=\"assay-runs\",reason=\"Completed\"}",
              1.0)
          .containsEntry(
              "assay_runs_bound_total{class=\"plain\",namespace=\"assay-runs\",start=\"cold\"}",
              1.0)
          .containsEntry("assay_run_stage_seconds_count{class=\"plain\",stage=\"all\"}", 1.0)
          .containsEntry("assay_run_stage_seconds_count{class=\"plain\",stage=\"start_pod\"}", 1.0)
          .containsEntry("assay_runs{namespace=\"assay-runs\",phase=\"Succeeded\"}", 1.0)
          .containsEntry("assay_runs_waiting{gate=\"quota\",namespace=\"assay-runs\"}", 0.0)
          .containsEntry("assay_runs_recent_by_caller{caller=\"test\"}", 1.0)
          .containsEntry("assay_datasets{namespace=\"assay-runs\",phase=\"Ready\"}", 0.0)
          .hasEntrySatisfying(
              "assay_api_request_seconds_count{method=\"patch\",status=\"2xx\"}",
              count -> assertThat(count).isGreaterThanOrEqualTo(2))
          .hasEntrySatisfying(
              "operator_sdk_reconciliations_success_total{group=\"assay.dev\",kind=\"AnalyticsRun\","
                  + "scope=\"namespace\",version=\"v1alpha1\"}",
              count -> assertThat(count).isPositive());
      assertThat(String.join("", scrape(ofOperator).keySet())).doesNotContain("retries");
      assertThat(scrape(ofFrontEnd))
          .containsEntry("assay_frontend_calls_total{outcome=\"Succeeded\",tool=\"get_run\"}", 1.0)
          .containsEntry("assay_frontend_call_seconds_count{tool=\"get_run\"}", 1.0)
          .containsEntry("assay_frontend_reply_bytes_count{tool=\"get_run\"}", 1.0)
          .containsEntry("assay_frontend_requests_total{status=\"201\"}", 1.0)
          .containsEntry("assay_frontend_streams", 0.0);
    }
  }

  /** The samples by name and labels, as they are served. */
  private static Map<String, Double> scrape(ProgramMetrics metrics) throws Exception {
    try (HealthEndpoint endpoint =
            new HealthEndpoint(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                () -> true,
                () -> true,
                metrics::text);
        HttpClient http = HttpClient.newHttpClient()) {
      URI address = URI.create("http://127.0.0.1:" + endpoint.address().getPort() + "/metrics");
      String text =
          http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
      Map<String, Double> samples = new TreeMap<>();
      text.lines()
          .filter(line -> !line.startsWith("#"))
          .forEach(
              line -> {
                Matcher sample = SAMPLE.matcher(line);
                assertThat(sample.matches()).as(line).isTrue();
                samples.put(
                    sample.group(1), Double.valueOf(sample.group(2).replace("+Inf", "Infinity")));
              });
      return samples;
    }
  }
}
