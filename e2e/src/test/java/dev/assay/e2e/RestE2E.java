package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs and datasets through REST, and the tools that manage runs. */
@Everywhere
class RestE2E {
  private static final String WAITS_TO_BE_TOLD =
      """
      import time
      print('first', flush=True)
      deadline = time.monotonic() + 20
      while time.monotonic() < deadline:
          time.sleep(0.05)
      print('never seen')
      """;

  @Test
  void aRunIsCreatedFollowedAndLookedAt(Assay assay) throws Exception {
    JsonNode made = assay.rest().post("/runs", run("print('a')\nprint('b')"), 201);
    String name = made.path("name").asText();
    assertThat(assay.rest().get("/runs/" + name + "/output?follow=true", 200).body())
        .isEqualTo("a\nb\n");
    JsonNode ended = Rest.json(assay.rest().get("/runs/" + name, 200));
    assertThat(ended.path("phase").asText()).isEqualTo("Succeeded");
    assertThat(ended.path("payloadStarted").asText()).isEqualTo("Yes");
    assertThat(
            Rest.json(assay.rest().get("/runs?limit=50", 200))
                .path("items")
                .findValuesAsText("name"))
        .contains(name);
    assertThat(assay.call("get_run", Map.of("name", name)).text()).contains(name, "a\nb");
    assertThat(assay.call("list_runs", Map.of()).text()).contains(name);
  }

  @Test
  void aCallThatDoesNotWaitNamesTheRunWhichGoesOn(Assay assay) {
    Samples.sales(assay);

    Reply reply =
        assay.call(
            Assay.TOOL,
            Map.of("dataset_name", "sales_data", "python_code", "print(42)", "wait_seconds", 0));

    assertThat(reply.isError()).as(reply.text()).isFalse();
    Matcher named = Pattern.compile("The run (run-\\w+) continues: ").matcher(reply.text());
    assertThat(named.find()).as(reply.text()).isTrue();
    assertThat(assay.rest().get("/runs/" + named.group(1) + "/output?follow=true", 200).body())
        .isEqualTo("42\n");
    assertThat(assay.call("get_run", Map.of("name", named.group(1))).text())
        .contains("Succeeded", "42");
  }

  @Test
  void aRunThatIsWaitedForIsReturnedAsItEnded(Assay assay) {
    JsonNode ended = assay.rest().post("/runs", run("print(42)").put("waitSeconds", 600), 201);

    assertThat(ended.path("phase").asText()).isEqualTo("Succeeded");
    assertThat(ended.at("/output/head").asText()).isEqualTo("42\n");
  }

  @Test
  void outputIsThereWhileTheRunRunsAndACancelEndsIt(Assay assay) throws Exception {
    String name = assay.rest().post("/runs", run(WAITS_TO_BE_TOLD), 201).path("name").asText();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<java.io.InputStream> live =
          http.send(
              assay.rest().request("/runs/" + name + "/output?follow=true").build(),
              BodyHandlers.ofInputStream());
      try (BufferedReader lines = new BufferedReader(new InputStreamReader(live.body(), UTF_8))) {
        assertThat(lines.readLine()).isEqualTo("first");
        assertThat(
                assay.rest().post("/runs/" + name + "/cancel", Rest.JSON.createObjectNode(), 202))
            .isNotNull();
        assertThat(lines.readLine()).isNull();
      }
    }
    JsonNode ended = Rest.json(assay.rest().get("/runs/" + name, 200));
    assertThat(ended.path("phase").asText()).isEqualTo("Cancelled");
    assertThat(ended.at("/output/head").asText()).isEqualTo("first\n");
  }

  @Test
  void aDatasetIsLoadedUsedAndRemoved(Assay assay) throws Exception {
    ObjectNode dataset =
        Rest.JSON
            .createObjectNode()
            .put("name", "rest_fruit")
            .put("wait", true)
            .put("replace", true);
    JsonNode made =
        assay.rest().post("/datasets", dataset.put("data", "kind,kilos\napple,3\npear,4\n"), 201);
    assertThat(made.path("phase").asText()).isEqualTo("Ready");
    assertThat(made.path("rows").asInt()).isEqualTo(2);
    assertThat(assay.run("rest_fruit", "print(df['kilos'].sum())").text()).isEqualTo("7\n");
    assay.rest().delete("/datasets/rest_fruit");
    assay.rest().get("/datasets/rest_fruit", 404);
  }

  @Test
  void theDocumentIsServed(Assay assay) throws Exception {
    assertThat(Rest.json(assay.rest().get("/openapi.json", 200)).path("openapi").asText())
        .startsWith("3.1");
  }

  private static ObjectNode run(String code) {
    return Rest.JSON.createObjectNode().put("code", code);
  }
}
