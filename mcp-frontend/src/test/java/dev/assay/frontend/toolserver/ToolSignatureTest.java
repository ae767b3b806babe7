package dev.assay.frontend.toolserver;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolSignatureTest {
  /** As the gateway returns the value: it takes a lone {@code result} that is no object. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "{'result': {'type': 'string'}};string",
        "{'result': {'type': 'array', 'items': {'type': 'integer'}}};number[]",
        "{'result': {'anyOf': [{'type': 'string'}, {'type': 'null'}]}};string | null",
        "{'result': {'type': 'object'}};{result?: {}}",
        "{'result': {'anyOf': [{'type': 'string'}, {'type': 'object'}]}};{result?: string | {}}",
        "{'result': {}};{result?: unknown}",
        "{'result': {'type': 'string'}, 'next': {'type': 'string'}};{result?: string, next?: string}",
        "{'rows': {'type': 'array'}};{rows?: unknown[]}",
      })
  void theResultIsShownAsCodeGetsIt(String properties, String type) {
    String definition =
        "{'outputSchema': {'type': 'object', 'properties': %s}}".formatted(properties);

    assertThat(ToolSignature.read(definition.replace('\'', '"').getBytes(UTF_8)))
        .hasValueSatisfying(signature -> assertThat(signature.result()).isEqualTo(type));
  }
}
