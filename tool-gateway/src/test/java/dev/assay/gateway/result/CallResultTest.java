package dev.assay.gateway.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.gateway.definition.Json;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class CallResultTest {
  private static CallResult read(String json) {
    return CallResult.read(Json.MAPPER.readTree(json)).orElseThrow();
  }

  private static String valueOfText(String text) {
    JsonNode block = Json.MAPPER.createObjectNode().put("type", "text").put("text", text);
    return read("{\"content\": [" + block + "]}").value().toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{\"a\": 1};{\"a\":1}",
        "{\"result\": [1, 2]};[1,2]",
        "{\"result\": 5};5",
        "{\"result\": null};null",
        "{\"result\": {\"a\": 1}};{\"result\":{\"a\":1}}",
        "{\"result\": 5, \"more\": 1};{\"result\":5,\"more\":1}",
        "{};{}"
      })
  void structuredContentComesFirst(String structured, String value) {
    assertThat(
            read("{\"content\": [{\"type\": \"text\", \"text\": \"x\"}], \"structuredContent\": "
                    + structured
                    + "}")
                .value())
        .hasToString(value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{\"a\": [1.50, \"x\"]};{\"a\":[1.50,\"x\"]}",
        "[];[]",
        "5;5",
        "-1.5;-1.5",
        "true;true",
        "null;null",
        "\"x\";\"x\"",
        "9007199254740993;\"9007199254740993\"",
        "1.0;\"1.0\"",
        "1e3;\"1e3\"",
        "-0;\"-0\"",
        "007;\"007\"",
        "{\"a\": 1} x;\"{\\\"a\\\": 1} x\"",
        "hello;\"hello\"",
        "0.1;0.1",
        "NaN;\"NaN\""
      })
  void aLoneTextIsReadAsJsonIfNothingIsLostByIt(String text, String value) {
    assertThat(valueOfText(text)).isEqualTo(value);
  }

  @Test
  void deepJsonStaysText() {
    String deep = "[".repeat(10_000) + "]".repeat(10_000);
    assertThat(valueOfText(deep)).startsWith("\"[[[");
  }

  @Test
  void severalTextsAreJoined() {
    assertThat(
            read("{\"content\": [{\"type\": \"text\", \"text\": \"1\"},"
                    + " {\"type\": \"text\", \"text\": \"2\"}]}")
                .value()
                .stringValue())
        .isEqualTo("1\n2");
  }

  @Test
  void otherBlocksAreReturnedAsTheyAre() {
    assertThat(
            read("{\"content\": [{\"type\": \"text\", \"text\": \"1\"},"
                    + " {\"type\": \"image\", \"data\": \"AA==\", \"mimeType\": \"image/png\"}]}")
                .value())
        .hasSize(2);
    assertThat(read("{\"content\": []}").value()).hasToString("[]");
  }

  @Test
  void anErrorHasItsTextAndRawHasAllOfIt() {
    CallResult result =
        read(
            "{\"content\": [{\"type\": \"text\", \"text\": \"no\"}], \"isError\": true,"
                + " \"_meta\": {\"a\": 1}}");
    assertThat(result.isError()).isTrue();
    assertThat(result.text()).isEqualTo("no");
    assertThat(result.raw())
        .hasToString("{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"5", "{}", "[]", "{\"content\": 5}", "null"})
  void whatIsNoResultIsNotRead(String json) {
    assertThat(CallResult.read(Json.MAPPER.readTree(json))).isEmpty();
  }

  @Test
  void credentialsAreRemovedFromTextsNumbersAndNames() {
    Scrub scrub = new Scrub(List.of("hunter22", "12345678", "hunter22-long"));
    assertThat(
            scrub.of(
                Json.MAPPER.readTree(
                    "{\"hunter22\": [\"x hunter22 y\", 12345678, \"hunter22-long\", 1, true]}")))
        .hasToString("{\"[redacted]\":[\"x [redacted] y\",\"[redacted]\",\"[redacted]\",1,true]}");
    assertThat(scrub.of("Bearer hunter22")).isEqualTo("Bearer [redacted]");
  }
}
