package dev.assay.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.operator.AssayOperator;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class EarlyRepliesTest {
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theyAreTheRepliesOfALocalModeThatServes(boolean withTools) throws Exception {
    LocalConfig scripts = withTools ? LocalConfig.NONE.withDemo() : LocalConfig.NONE;
    LocalSettings settings =
        new LocalSettings(0, null, null, AnalyticsSettings.read(Map.of()), scripts);
    EarlyReplies early = new EarlyReplies(settings);
    AssayOperator.boundHeadersOfRunners();
    try (LocalAssay assay = LocalAssay.startWithoutPods(settings);
        HttpClient http = HttpClient.newHttpClient()) {
      awaitReady(http, assay);
      for (String call :
          new String[] {
            "\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
                + "\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}",
            "\"initialize\",\"params\":{\"protocolVersion\":\"1999\",\"capabilities\":{},"
                + "\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}",
            "\"ping\"",
            "\"tools/list\"",
            "\"prompts/list\"",
            "\"prompts/get\",\"params\":{\"name\":\"code_mode\"}",
            "\"resources/templates/list\"",
            "\"server/discover\""
          }) {
        String message = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":" + call + "}";
        assertThat(early.to(message)).contains(ask(http, assay, message));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"list_runs\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"resources/list\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "[]"
      })
  void allElseHasToWait(String message) throws Exception {
    LocalSettings settings =
        new LocalSettings(0, null, null, AnalyticsSettings.read(Map.of()), LocalConfig.NONE);
    assertThat(new EarlyReplies(settings).to(message)).isEmpty();
  }

  /** Polls, since nothing announces it; the time limit of tests bounds it. */
  private static void awaitReady(HttpClient http, LocalAssay assay) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(assay.endpoint() + "/readyz")).build();
    while (http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() != 200) {
      Thread.sleep(50);
    }
  }

  private static JsonNode ask(HttpClient http, LocalAssay assay, String message) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(assay.endpoint() + "/mcp"))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .header("Authorization", "Bearer " + assay.key())
            .POST(HttpRequest.BodyPublishers.ofString(message))
            .build();
    return JsonMapper.shared()
        .readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}
