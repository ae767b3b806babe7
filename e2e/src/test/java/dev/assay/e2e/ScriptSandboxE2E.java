package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a script finds and can do inside of V8. */
@Everywhere
@Warm
class ScriptSandboxE2E {
  static Stream<String> probes() {
    return SecurityPage.scriptProbes().keySet().stream();
  }

  /** The probes of docs/security.md. */
  @ParameterizedTest
  @MethodSource("probes")
  void whatAScriptTriesIsRefusedOrHarmless(String probe, Assay assay) {
    JsonNode reply = reply(assay, Script.of(SecurityPage.scriptProbes().get(probe)));

    assertThat(reply.path("ok").asBoolean()).as(reply.toString()).isTrue();
    assertThat(reply.path("value")).as(probe).hasToString("[]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/(a+)+$/.test('a'.repeat(40) + 'b')",
        "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
        "(function f() { Promise.resolve().then(f) })()",
        "const p = new Proxy({}, {get: () => { for (;;) {} }}); p.a"
      })
  void whatHasNoEndEndsAtTheTimeLimit(String code, Assay assay) {
    JsonNode reply = reply(assay, Script.of(code).options(Map.of("timeout_ms", 1000)));

    assertThat(reply.at("/error/code").asText()).as(reply.toString()).isEqualTo("TIMEOUT");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'x'.repeat(2 ** 30) | Invalid string length",
        "(function f() { return f() + 1 })() | Maximum call stack size exceeded",
        "await new Promise(() => {}) | The script awaits a promise that never settles"
      })
  void whatIsTooLongTooDeepOrNeverSettlesIsAnErrorOfTheScript(
      String code, String message, Assay assay) {
    JsonNode reply = reply(assay, Script.of(code));

    assertThat(reply.at("/error/code").asText()).as(reply.toString()).isEqualTo("RUNTIME_ERROR");
    assertThat(reply.at("/error/message").asText()).startsWith(message);
  }

  @Test
  void aFloodOfOutputIsCutAndTheValueIsThere(Assay assay) {
    JsonNode reply =
        reply(
            assay,
            Script.of(
                """
                const line = 'x'.repeat(999);
                for (let i = 0; i < 20000; i++) console.log(line);
                'end'
                """));

    assertThat(reply.path("value").asText()).as(reply.toString()).isEqualTo("end");
    JsonNode logs = reply.path("logs");
    assertThat(logs).hasSizeLessThan(20);
    assertThat(logs.path(logs.size() - 1).asText()).startsWith("[20000000 bytes in all; get_run(");
  }

  /** The heap of V8 has a limit of its own. */
  @Test
  void memoryOutsideOfTheHeapIsThatOfThePod(Assay assay) {
    JsonNode reply =
        reply(
            assay, Script.of("const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1))"));

    assertThat(reply.at("/error/code").asText()).as(reply.toString()).isEqualTo("MEMORY_EXCEEDED");
  }

  /** The reply to a script that is given a warm Pod, where the classes of the chart have pools. */
  private static JsonNode reply(Assay assay, Script script) {
    return WarmCalls.await(assay, () -> script.reply(assay));
  }
}
