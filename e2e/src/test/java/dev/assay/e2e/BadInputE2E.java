package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Invalid input gets a helpful error message and does not affect other callers. */
@Everywhere
class BadInputE2E {
  @BeforeAll
  static void datasets(Assay assay) {
    Samples.sales(assay);
  }

  @AfterAll
  static void theNextCallIsServedAsEver(Assay assay) {
    assertThat(assay.run("sales_data", "print('fine')").text()).isEqualTo("fine\n");
  }

  /** A protocol error (-32602), as MCP requires: no tool is called. */
  @Test
  void anUnknownToolIsNamed(Assay assay) {
    Reply reply = assay.call("no_such_tool", Map.of());
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text())
        .contains("Unknown tool: no_such_tool", Assay.TOOL)
        .doesNotContain("\tat ", "Exception");

    HttpResponse<String> response =
        assay.post(
            """
            {"jsonrpc":"2.0","id":"u","method":"tools/call","params":{"name":"no_such_tool"}}""");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("\"id\":\"u\"", "\"error\"", "-32602");
  }

  @Test
  void aMissingArgumentIsNamed(Assay assay) {
    Reply reply = assay.call(Assay.TOOL, Map.of("dataset_name", "sales_data"));
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).contains("python_code");
  }

  @Test
  void anArgumentOfTheWrongTypeIsNamed(Assay assay) {
    Reply reply =
        assay.call(
            Assay.TOOL, Map.of("dataset_name", "sales_data", "python_code", List.of("print(1)")));
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).contains("python_code").doesNotContain("java.", "jackson");
  }

  @Test
  void aTimeLimitOfTheWrongTypeIsNamed(Assay assay) {
    Reply reply =
        assay.call(
            Assay.TOOL,
            Map.of(
                "dataset_name",
                "sales_data",
                "python_code",
                "print(1)",
                "timeout_seconds",
                "soon"));
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).contains("timeout_seconds");
  }

  @Test
  void aDatasetNameThatCannotBeOneIsRefused(Assay assay) {
    Reply reply = assay.run("../../etc/passwd", "print(df)");
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).startsWith("EXECUTION ERROR:");
  }

  @Test
  void codeOf300KibibytesIsRefusedWithTheLimit(Assay assay) {
    Reply reply = assay.run("sales_data", "#".repeat(300 * 1024));
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).containsAnyOf("262144", "262,144", "256 KiB");
    assertThat(reply.text()).hasSizeLessThan(2_000);
  }

  @Test
  void codeUpToTheLimitRuns(Assay assay) {
    String head = "print('end')\n";
    Reply reply = assay.run("sales_data", head + "#".repeat(262_144 - head.length()));
    assertThat(reply.text()).isEqualTo("end\n");
  }

  @Test
  void anArgumentOf10MegabytesIsCutOffEarly(Assay assay) {
    HttpResponse<String> response =
        assay.post(
            """
            {"jsonrpc":"2.0","id":41,"method":"tools/call","params":{"name":"%s","arguments":\
            {"dataset_name":"sales_data","python_code":"%s"}}}"""
                .formatted(Assay.TOOL, "#".repeat(10_000_000)));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body())
        .contains("\"id\":41", "\"isError\":true")
        .contains(
            "\"EXECUTION ERROR: ValueError: 'python_code' has 10000000 bytes of UTF-8;"
                + " at most 262144 are allowed\"")
        .hasSizeLessThan(2_000);
  }

  @Test
  void anArgumentOf10MegabytesIsNamedThroughTheOfficialClient(Assay assay) {
    Reply code = assay.run("sales_data", "#".repeat(10_000_000));
    assertThat(code.isError()).isTrue();
    assertThat(code.text())
        .isEqualTo(
            "EXECUTION ERROR: ValueError: 'python_code' has 10000000 bytes of UTF-8; at most 262144"
                + " are allowed");
  }

  @Test
  void aRequestThatNoCallNeedsIsRefusedAsAWhole(Assay assay) {
    HttpResponse<String> response = assay.post(" ".repeat(20_000_000));
    assertThat(response.statusCode()).isEqualTo(413);
    assertThat(response.body())
        .startsWith("{\"jsonrpc\":\"2.0\"")
        .contains("\"error\"")
        .hasSizeLessThan(2_000)
        .doesNotContain("\tat ");
  }

  @Test
  void whatIsNotJsonIsAnsweredWithoutInnards(Assay assay) {
    HttpResponse<String> response = assay.post("{\"jsonrpc\": ");
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body()).doesNotContain("stackTrace", "java.", "\tat ");
  }

  @Test
  void aForeignOriginIsRefused(Assay assay) throws IOException, InterruptedException {
    String list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> response =
          http.send(
              assay
                  .request()
                  .header("Origin", "http://attacker.example")
                  .POST(BodyPublishers.ofString(list))
                  .build(),
              BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(403);
    }
  }
}
