package dev.assay.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class TranscriptCountsTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  private static JsonNode counts(String line) {
    return new TranscriptCounts(JSON).of(JSON.readTree(line));
  }

  @Test
  void aWordIsFewerTokensThanBytes() {
    assertThat(Tokens.of("hello world")).isEqualTo(2);
    assertThat(Tokens.of("<|endoftext|>")).isGreaterThan(1);
  }

  @Test
  void eachPartOfATurnIsCountedByItself() {
    JsonNode counts =
        counts(
            """
            {"system": "s", "task": "t", "prompt": "hello world", "turns": [
              {"tool": "ask", "arguments": {"sql": "SELECT 1"}, "text": "größer",
               "structured": {"rows": [1, 2]}, "pictures": [{"width": 600, "height": 360}]},
              {"tool": "ask", "arguments": {}, "text": "", "structured": null}]}
            """);

    assertThat(counts.at("/system").asString()).isEqualTo("s");
    assertThat(counts.at("/task").asString()).isEqualTo("t");
    assertThat(counts.at("/prompt/tokens").asInt()).isEqualTo(2);
    String call = "{\"name\":\"ask\",\"arguments\":{\"sql\":\"SELECT 1\"}}";
    assertThat(counts.at("/turns/0/call/tokens").asInt()).isEqualTo(Tokens.of(call));
    assertThat(counts.at("/turns/0/text/bytes").asInt())
        .isEqualTo("größer".getBytes(StandardCharsets.UTF_8).length);
    assertThat(counts.at("/turns/0/structured/tokens").asInt())
        .isEqualTo(Tokens.of("{\"rows\":[1,2]}"));
    assertThat(counts.at("/turns/0/pictures").asInt()).isEqualTo(288);
    assertThat(counts.at("/turns/1/text/tokens").asInt()).isZero();
    assertThat(counts.at("/turns/1/structured/tokens").asInt()).isZero();
    assertThat(counts.at("/turns/1/pictures").asInt()).isZero();
  }

  @Test
  void aListingIsCountedWholeAndAsModelsSeeIt() {
    JsonNode counts =
        counts(
            """
            {"system": "s", "listing": {"instructions": "hello world", "tools": [
              {"name": "ask", "description": "Asks", "inputSchema": {"type": "object"},
               "outputSchema": {"type": "object"}}]}}
            """);

    String seen =
        "hello world\n[{\"name\":\"ask\",\"description\":\"Asks\","
            + "\"inputSchema\":{\"type\":\"object\"}}]";
    assertThat(counts.at("/listing/seenByModels/tokens").asInt()).isEqualTo(Tokens.of(seen));
    assertThat(counts.at("/listing/whole/tokens").asInt()).isGreaterThan(Tokens.of(seen));
    assertThat(counts.has("turns")).isFalse();
  }
}
