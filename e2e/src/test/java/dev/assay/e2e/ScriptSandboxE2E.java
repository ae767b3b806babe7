package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a script finds and can do inside of V8. With {@code dev/e2e --warm} each runs in a warm Pod.
 */
@Everywhere
class ScriptSandboxE2E {
  static Stream<String> probes() {
    return SecurityPage.scriptProbes().keySet().stream();
  }

  /** The probes of docs/security.md. */
  @ParameterizedTest
  @MethodSource("probes")
  void whatAScriptTriesIsRefusedOrHarmless(String probe, Assay assay) {
    assertThat(Script.of(SecurityPage.scriptProbes().get(probe)).value(assay))
        .as(probe)
        .hasToString("[]");
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
    JsonNode reply = Script.of(code).options(Map.of("timeout_ms", 1000)).reply(assay);

    assertThat(reply.at("/error/code").asText()).as(reply.toString()).isEqualTo("TIMEOUT");
  }

  /** The heap of V8 has a limit of its own. */
  @Test
  void memoryOutsideOfTheHeapIsThatOfThePod(Assay assay) {
    JsonNode reply =
        Script.of("const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1))")
            .reply(assay);

    assertThat(reply.at("/error/code").asText()).as(reply.toString()).isEqualTo("MEMORY_EXCEEDED");
  }
}
