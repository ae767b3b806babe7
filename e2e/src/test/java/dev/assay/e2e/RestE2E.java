package dev.assay.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Runs and datasets by REST, and the tools that look after runs. */
@Everywhere
class RestE2E {
  private static final ObjectMapper JSON = new ObjectMapper();
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
    JsonNode made = post(assay, "/runs", run("print('a')\nprint('b')"), 201);
    String name = made.path("name").asText();
    assertThat(get(assay, "/runs/" + name + "/output?follow=true", 200).body()).isEqualTo("a\nb\n");
    JsonNode ended = json(get(assay, "/runs/" + name, 200));
    assertThat(ended.path("phase").asText()).isEqualTo("Succeeded");
    assertThat(ended.path("payloadStarted").asText()).isEqualTo("Yes");
    assertThat(json(get(assay, "/runs?limit=5", 200)).path("items").findValuesAsText("name"))
        .contains(name);
    assertThat(assay.call("get_run", Map.of("name", name)).text()).contains(name, "a\nb");
    assertThat(assay.call("list_runs", Map.of()).text()).contains(name);
  }

  @Test
  void outputIsThereWhileTheRunRunsAndACancelEndsIt(Assay assay) throws Exception {
    String name = post(assay, "/runs", run(WAITS_TO_BE_TOLD), 201).path("name").asText();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<java.io.InputStream> live =
          http.send(
              request(assay, "/runs/" + name + "/output?follow=true").build(),
              BodyHandlers.ofInputStream());
      try (BufferedReader lines = new BufferedReader(new InputStreamReader(live.body(), UTF_8))) {
        assertThat(lines.readLine()).isEqualTo("first");
        assertThat(post(assay, "/runs/" + name + "/cancel", JSON.createObjectNode(), 202))
            .isNotNull();
        assertThat(lines.readLine()).isNull();
      }
    }
    JsonNode ended = json(get(assay, "/runs/" + name, 200));
    assertThat(ended.path("phase").asText()).isEqualTo("Cancelled");
    assertThat(ended.at("/output/head").asText()).isEqualTo("first\n");
  }

  @Test
  void aDatasetIsLoadedUsedAndRemoved(Assay assay) throws Exception {
    ObjectNode dataset =
        JSON.createObjectNode().put("name", "rest_fruit").put("wait", true).put("replace", true);
    JsonNode made =
        post(assay, "/datasets", dataset.put("data", "kind,kilos\napple,3\npear,4\n"), 201);
    assertThat(made.path("phase").asText()).isEqualTo("Ready");
    assertThat(made.path("rows").asInt()).isEqualTo(2);
    assertThat(assay.run("rest_fruit", "print(df['kilos'].sum())").text()).isEqualTo("7\n");
    try (HttpClient http = HttpClient.newHttpClient()) {
      var gone =
          http.send(
              request(assay, "/datasets/rest_fruit").DELETE().build(), BodyHandlers.discarding());
      assertThat(gone.statusCode()).isEqualTo(204);
    }
    get(assay, "/datasets/rest_fruit", 404);
  }

  @Test
  void theDocumentIsServed(Assay assay) throws Exception {
    assertThat(json(get(assay, "/openapi.json", 200)).path("openapi").asText()).startsWith("3.1");
  }

  private static ObjectNode run(String code) {
    return JSON.createObjectNode().put("code", code);
  }

  private static JsonNode post(Assay assay, String path, ObjectNode body, int status)
      throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          http.send(
              request(assay, path).POST(BodyPublishers.ofString(body.toString())).build(),
              BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
      return json(response);
    }
  }

  private static HttpResponse<String> get(Assay assay, String path, int status)
      throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          http.send(request(assay, path).build(), BodyHandlers.ofString());
      assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
      return response;
    }
  }

  private static HttpRequest.Builder request(Assay assay, String path) {
    return HttpRequest.newBuilder(assay.installation().endpoint().resolve("/api/v1" + path))
        .header("Authorization", "Bearer " + assay.installation().key())
        .header("Content-Type", "application/json");
  }

  private static JsonNode json(HttpResponse<String> response) throws IOException {
    return JSON.readTree(response.body());
  }
}
