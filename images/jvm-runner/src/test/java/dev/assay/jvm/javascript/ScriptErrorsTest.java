package dev.assay.jvm.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is thrown. */
class ScriptErrorsTest {
  private final TestScripts scripts = new TestScripts();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "throw new Error('boom') | Error | boom",
        "throw new RangeError('boom') | RangeError | boom",
        "throw new (class MyError extends Error { name = 'MyError' })('boom') | MyError | boom",
        "throw 'text' | Error | text",
        "throw 5 | Error | 5",
        "throw null | Error | null",
        "throw undefined | Error | undefined",
        "throw {code: 5} | Error | {\"code\": 5}",
        "throw {message: 'm', name: 'N'} | N | m",
        "throw Symbol('s') | Error | Symbol(s)",
        "throw () => 1 | Error | [Function anonymous]",
        "throw new Error() | Error | ~~",
        "throw {get message() { throw 1 }} | Error | [object]",
        "throw new Proxy({}, {get() { throw new Error('trap') }}) | Error | {}",
        "throw Object.assign(new Error('a'), {name: 5, stack: 7}) | Error | a",
        "nothing | ReferenceError | nothing is not defined",
        "(function f() { f() })() | RangeError | Maximum call stack size exceeded",
        "eval('1 +') | SyntaxError | Unexpected end of input",
        "'x'.repeat(2 ** 30) | RangeError | Invalid string length",
        "import('fs') | Error | Not supported",
        "setTimeout(() => 1) | ReferenceError | setTimeout is not defined",
        "require('fs') | ReferenceError | require is not defined",
        "fetch('http://a') | ReferenceError | fetch is not defined",
        "WebAssembly | ReferenceError | WebAssembly is not defined",
        "'a'.normalize('nfd') | RangeError | The normalization form should be one of NFC, NFD, NFKC,"
            + " NFKD.",
        "'x'.repeat(2 ** 21).normalize() | RangeError | normalize takes at most 1048576 characters",
        "new Intl.NumberFormat('de') | ReferenceError | Intl is not defined: there are no locales"
            + " and no time zones here: use UTC and ISO 8601, or format, sort and convert in the"
            + " SQL of a tool",
        "(1.5).toLocaleString('de-DE') | RangeError | toLocaleString takes no locale and no"
            + " options: there are no locales and no time zones here: use UTC and ISO 8601, or"
            + " format, sort and convert in the SQL of a tool"
      })
  void whatIsThrownIsAnErrorWithItsTypeAndItsBareMessage(String code, String type, String message) {
    JobFailure failure = scripts.failure(code);

    assertThat(failure.code()).isEqualTo(ErrorCode.RUNTIME_ERROR);
    assertThat(failure.type()).isEqualTo(type);
    assertThat(failure.message()).isEqualTo(message);
  }

  @Test
  void theStackHasTheFramesOfTheScript() {
    JobFailure failure =
        scripts.failure(
            "function inner() {\n  throw new TypeError('no');\n}\nconst outer = () => inner();\n"
                + "[1].map(outer)");

    assertThat(failure.traceback())
        .isEqualTo(
            "TypeError: no\n    at inner (script:2:9)\n    at outer (script:4:21)\n"
                + "    at Array.map (<anonymous>)\n    at script:5:5");
    assertThat(failure.place()).isEqualTo(new JobFailure.Place(2, 9, ""));
  }

  @Test
  void theStackOfWhatIsAwaitedIsThere() {
    JobFailure failure =
        scripts.failure("async function f() {\n  await 1;\n  null.x\n}\nawait f()");

    assertThat(failure.traceback())
        .isEqualTo(
            "TypeError: Cannot read properties of null (reading 'x')\n    at f (script:3:8)\n"
                + "    at async script:5:1");
  }

  @Test
  void longTextsAreCut() {
    JobFailure failure =
        scripts.failure("throw Object.assign(new Error('x'.repeat(1e7)), {name: 'n'.repeat(1e6)})");

    assertThat(failure.message()).hasSizeLessThan(9000).endsWith("x…");
    assertThat(failure.type()).hasSizeLessThan(300);
    assertThat(String.valueOf(failure.traceback())).hasSizeLessThan(33_000);
  }

  @Test
  void whatCompilersQuoteIsCut() {
    String name = "a".repeat(200_000);

    JobFailure ofV8 = scripts.failure("class A { f() { return this.#" + name + " } }");
    JobFailure ofSwc = scripts.typeScriptFailure("1 '" + "\u0001".repeat(200_000) + "'");

    assertThat(ofV8.code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
    assertThat(ofV8.message()).hasSizeBetween(8000, 9000).endsWith("…");
    assertThat(ofSwc.code()).isEqualTo(ErrorCode.TRANSPILE_ERROR);
    assertThat(ofSwc.message()).hasSizeLessThan(9000);
  }

  @Test
  void thePlaceOfAnErrorIsFoundBehindCodeThatLooksLikePlaces() {
    String text =
        "SyntaxError: no\n" + "at file:///a\u00a0".repeat(20_000) + "\n at file:///main.js:2:20";

    assertThat(Swc.failure(text).place()).isEqualTo(new JobFailure.Place(2, 20, ""));
  }
}
