package dev.assay.jvm.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values, and the variable {@code input}. */
class ScriptValuesTest {
  private final TestScripts scripts = new TestScripts();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "undefined | null",
        "null | null",
        "NaN | null",
        "Infinity | null",
        "-0 | 0",
        "0.1 + 0.2 | 0.30000000000000004",
        "'é😀\\u2028' | \"é😀\u2028\"",
        "'\\ud800' | \"\\ud800\"",
        "new Date(0) | \"1970-01-01T00:00:00.000Z\"",
        "Temporal.Instant.fromEpochMilliseconds(0) | \"1970-01-01T00:00:00Z\"",
        "({b: 1, a: undefined}) | {\"b\":1}",
        "[undefined, NaN] | [null,null]",
        "({toJSON() { return {a: 1} }}) | {\"a\":1}",
        "({a: {toJSON(key) { return key }}}) | {\"a\":\"a\"}",
        "({toJSON() { return undefined }}) | null",
        "Object.create(null, {a: {value: 1, enumerable: true}}) | {\"a\":1}",
        "const a = {}; [a, a] | [{},{}]",
        "BigInt.prototype.toJSON = function () { return String(this) }; 5n | \"5\"",
        "[5n, -(2n ** 53n - 1n), 2n ** 53n, -(2n ** 80n)] |"
            + " [5,-9007199254740991,\"9007199254740992\",\"-1208925819614629174706176\"]",
        "class E extends Error { toJSON() { return this.message } }; new E('x') | \"x\"",
        "new Map([['a', 1]]).toJSON = 1; class M extends Map { toJSON() { return [1] } }; new M() |"
            + " [1]",
        "new Number(1) | 1",
        "new Uint8Array(2) | {\"0\":0,\"1\":0}",
        "new Proxy([1, 2], {}) | [1,2]",
        "[Promise.resolve(1)].length | 1"
      })
  void aValueIsJson(String code, String value) throws Exception {
    assertThat(scripts.value(code)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "() => 1 | JSON cannot hold the function at the value: return data only",
        "({a: [1, {f() {}}]}) | JSON cannot hold the function at the value.a[1].f: return data"
            + " only",
        "Symbol('a') | JSON cannot hold the symbol at the value: return data only",
        "({a: [new TypeError('x')]}) | JSON cannot hold the Error at the value.a[0]: use"
            + " String(error), or error.message",
        "await Promise.allSettled([Promise.reject(new Error('x'))]) | JSON cannot hold the Error at"
            + " the value[0].reason: use String(error), or error.message",
        "({p: /a/}) | JSON cannot hold the RegExp at the value.p: use String(pattern)",
        "({m: new Map()}) | JSON cannot hold the Map at the value.m: use Object.fromEntries(map)",
        "[new Set()] | JSON cannot hold the Set at the value[0]: use Array.from(set)",
        "new (class X extends Map {})() | JSON cannot hold the Map at the value: use"
            + " Object.fromEntries(map)",
        "[Promise.resolve(1)] | JSON cannot hold the Promise at the value[0]: await it first",
        "new WeakMap() | JSON cannot hold the WeakMap at the value: return data only",
        "const a = {b: {}}; a.b.c = a; a | JSON cannot hold the cycle at the value.b.c, which is an"
            + " object that contains it: leave it out",
        "({get a() { throw new Error('no') }}) | The value could not be written as JSON: no",
        "({toJSON() { throw 'text' }}) | The value could not be written as JSON: text",
        "new Proxy({}, {ownKeys() { throw new Error('trap') }}) | The value could not be written as"
            + " JSON: trap",
        "const p = Proxy.revocable({}, {}); p.revoke(); [p.proxy] | The value could not be written"
            + " as JSON: Cannot perform 'get' on a proxy that has been revoked"
      })
  void whatJsonCannotHoldIsAnErrorWithTheRemedy(String code, String message) {
    JobFailure failure = scripts.failure(code);

    assertThat(failure.code()).isEqualTo(ErrorCode.SERIALIZATION_ERROR);
    assertThat(failure.type()).isEqualTo("SerializationError");
    assertThat(failure.message()).isEqualTo(message);
  }

  @Test
  void aValueMayTakeTheWholeLimitAndNoMore() throws Exception {
    assertThat(scripts.value("'x'.repeat(262142)")).hasSize(262144);
    assertThat(scripts.failure("'x'.repeat(262143)").message())
        .isEqualTo(
            "The value takes at least 262145 bytes as JSON, and the limit is 262144: return less"
                + " of it");
    assertThat(scripts.failure("'é'.repeat(131072)").message())
        .isEqualTo(
            "The value takes 262146 bytes as JSON, and the limit is 262144: return less of it");
    assertThat(scripts.failure("'x'.repeat(100_000_000)").code())
        .isEqualTo(ErrorCode.SERIALIZATION_ERROR);
  }

  @Test
  void aValueMayBeNested64DeepAndNoDeeper() throws Exception {
    String nested = "let v = 1; for (let i = 0; i < %d; i++) v = [v]; v";

    assertThat(scripts.value(nested.formatted(64))).startsWith("[[").endsWith("]]");
    assertThat(scripts.failure(nested.formatted(65)).message())
        .isEqualTo("The value is nested deeper than 64: return less of it");
    assertThat(scripts.failure(nested.formatted(100_000)).code())
        .isEqualTo(ErrorCode.SERIALIZATION_ERROR);
  }

  @Test
  void anInputIsTheVariableInput() throws Exception {
    assertThat(
            scripts.run("input.a[1] + input['é']", "javascript", "{\"a\": [1, 2], \"é\": \"x\"}"))
        .isEqualTo("\"2x\"");
    assertThat(scripts.run("input", "javascript", "[1.0, null, \"\\u2028\"]"))
        .isEqualTo("[1,null,\"\u2028\"]");
    assertThat(
            scripts.run(
                "input.__proto__.a + typeof input.b", "javascript", "{\"__proto__\": {\"a\": 1}}"))
        .isEqualTo("\"1undefined\"");
    assertThat(scripts.value("input")).isEqualTo("{}");
    assertThat(scripts.run("const input = 5; input", "javascript", "1")).isEqualTo("5");
  }

  @Test
  void wholeNumbersOfAnInputAreExact() throws Exception {
    String input =
        "{\"id\": 9007199254740993, \"n\": 9007199254740991, \"x\": [1e20, -1.5, 1e400]}";
    assertThat(scripts.run("input", "javascript", input))
        .isEqualTo(
            "{\"id\":\"9007199254740993\",\"n\":9007199254740991,\"x\":[100000000000000000000,-1.5,null]}");
    assertThat(scripts.run("typeof input.id + (input.id + 1n)", "javascript", input))
        .isEqualTo("\"bigint9007199254740994\"");
    assertThat(scripts.run("input", "javascript", "-18446744073709551616"))
        .isEqualTo("\"-18446744073709551616\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "new Date(0).toLocaleString('en-US', {timeZone: 'America/New_York'})",
        "new Date(0).toLocaleDateString(undefined, {month: 'long'})",
        "new Date(0).toLocaleTimeString([])",
        "(5n).toLocaleString('de')",
        "[1.5].toLocaleString('de')",
        "new Float64Array(1).toLocaleString('de')",
        "Temporal.PlainDate.from('2024-01-02').toLocaleString('de')",
        "['z', 'a'].sort((a, b) => a.localeCompare(b, 'de'))",
        "'a'.localeCompare('b', undefined, {numeric: true})",
        "'i'.toLocaleUpperCase('tr')"
      })
  void aLocaleOrAZoneIsAnErrorAndNotIgnored(String code) {
    assertThat(scripts.failure(code).message())
        .contains("takes no locale and no options: there are no locales and no time zones here");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "(1234.5).toLocaleString() | \"1234.5\"",
        "['b', 'a'].sort((a, b) => a.localeCompare(b)) | [\"a\",\"b\"]",
        "'a'.localeCompare('b', undefined) | -1",
        "['é'.normalize('NFD').length, 'e\u0301'.normalize().length, 'ﬁ'.normalize('NFKC')] |"
            + " [2,1,\"fi\"]",
        "'é'.normalize('NFD').replace(/[\u0300-\u036f]/g, '') | \"e\"",
        "'i'.toLocaleUpperCase() + [1, 'a'].toLocaleString() | \"I1,a\"",
        "new Date(0).toLocaleString().slice(0, 15) | \"Thu Jan 01 1970\"",
        "globalThis.Intl = 5; Intl | 5",
        "String.prototype.localeCompare.name + Number.prototype.toLocaleString.length |"
            + " \"localeCompare0\""
      })
  void textOfNoLocaleIsAsBefore(String code, String value) throws Exception {
    assertThat(scripts.value(code)).isEqualTo(value);
  }

  @Test
  void aPromiseIsWaitedFor() throws Exception {
    assertThat(scripts.value("Promise.resolve().then(() => Promise.resolve([1]))"))
        .isEqualTo("[1]");
    assertThat(scripts.value("({then(done) { done(5) }})")).isEqualTo("5");
    assertThat(scripts.failure("Promise.reject(new TypeError('no'))").message()).isEqualTo("no");
    assertThat(scripts.failure("(async () => { null.x })()").place())
        .isEqualTo(new JobFailure.Place(1, 21, ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Promise.reject(new TypeError('lost')); 42",
        "const main = async () => { throw new TypeError('lost') }; main(); 42",
        "async function main() { await null; throw new TypeError('lost') } main(); return 42",
        "Promise.resolve().then(() => { throw new TypeError('lost') }); await 1; 42",
        "Promise.reject(new TypeError('lost')); await new Promise(() => {})",
        "Promise.reject(new TypeError('lost')); Promise.reject(new Error('another')); 42",
        "Map.prototype.set = Map.prototype.forEach = null; Promise.reject(new TypeError('lost')); 1",
      })
  void aRejectedPromiseThatNothingHandlesFailsTheScript(String code) {
    JobFailure failure = scripts.failure(code);

    assertThat(failure.code()).isEqualTo(ErrorCode.RUNTIME_ERROR);
    assertThat(failure.type()).isEqualTo("TypeError");
    assertThat(failure.message()).isEqualTo("lost");
    assertThat(failure.place()).isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Promise.reject(new Error('no')).catch(() => {}); 42",
        "const lost = Promise.reject(new Error('no')); await null; try { await lost } catch {} 42",
        "(async () => { throw 1 })().then(null, () => {}); 42",
        "await Promise.allSettled([Promise.reject(1), Promise.reject(2)]); 42",
        "for (let i = 0; i < 1000; i++) { try { await Promise.reject(i) } catch {} } 42",
      })
  void aRejectedPromiseThatIsHandledIsNoError(String code) throws Exception {
    assertThat(scripts.value(code)).isEqualTo("42");
  }

  @Test
  void theErrorOfTheScriptItselfComesBeforeThatOfALostPromise() {
    assertThat(
            scripts.failure("Promise.reject(new Error('lost')); throw new Error('own')").message())
        .isEqualTo("own");
    assertThat(scripts.failure("Promise.reject(new Error('lost')); Symbol()").code())
        .isEqualTo(ErrorCode.SERIALIZATION_ERROR);
  }

  @ParameterizedTest
  @CsvSource(value = {"new Promise(() => {})", "await new Promise(() => {})", "({then() {}})"})
  void aPromiseThatNothingSettlesIsAnError(String code) {
    JobFailure failure = scripts.failure(code);

    assertThat(failure.code()).isEqualTo(ErrorCode.RUNTIME_ERROR);
    assertThat(failure.message())
        .isEqualTo(
            "The script awaits a promise that never settles: scripts have no timers or external"
                + " events");
  }
}
