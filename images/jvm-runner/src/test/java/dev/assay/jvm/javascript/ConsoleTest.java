package dev.assay.jvm.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What scripts print. */
class ConsoleTest {
  private final TestScripts scripts = new TestScripts();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'a', 1, true, null, undefined | a 1 true null undefined",
        "{a: [1, 'b'], c: {d: 1n}} | {\"a\": [1, \"b\"], \"c\": {\"d\": 1n}}",
        "new Map([['k', {v: 1}]]), new Set([1, 2]) | Map {\"k\" => {\"v\": 1}} Set {1, 2}",
        "new Date(0), /a/g | 1970-01-01T00:00:00.000Z /a/",
        "Symbol('s'), () => 1, function f() {} | Symbol(s) [Function anonymous] [Function f]",
        "NaN, -0, 1e21 | NaN 0 1e+21",
        "'é😀' | é😀"
      })
  void valuesAreShown(String values, String shown) throws Exception {
    scripts.value("console.log(" + values + ")");

    assertThat(scripts.output()).isEqualTo(shown + "\n");
  }

  @Test
  void theMethodsOfTheConsoleAndLogPrintALineEach() throws Exception {
    scripts.value(
        "log('a'); console.info('b'); console.warn('c'); console.error('d'); console.debug('e');"
            + " console.table([1]); console.dir({}); console.assert(1, 'no'); console.assert(0,"
            + " 'f'); console.time('x'); console.group('g'); console.groupEnd(); console.log()");

    assertThat(scripts.output()).isEqualTo("a\nb\nc\nd\ne\n[1]\n{}\nf\n\n");
  }

  @Test
  void anErrorIsShownWithItsStack() throws Exception {
    scripts.value("console.log(new Error('boom'))");

    assertThat(scripts.output()).startsWith("Error: boom\n    at ");
  }

  @Test
  void whatCannotBeShownDoesNotEndTheScript() throws Exception {
    String code =
        """
        const cyclic = {}; cyclic.self = cyclic;
        console.log(cyclic);
        console.log({get a() { throw 1 }});
        console.log(new Proxy({}, {ownKeys() { throw 1 }}));
        const revoked = Proxy.revocable({}, {}); revoked.revoke();
        console.log(revoked.proxy);
        let deep = 1; for (let i = 0; i < 1000; i++) deep = [deep];
        console.log(deep);
        console.log(Array.from({length: 20000}, () => 1).length);
        const many = Array.from({length: 20000}, () => 1);
        console.log(many);
        1
        """;

    assertThat(scripts.value(code)).isEqualTo("1");
    assertThat(scripts.output())
        .startsWith("{\"self\": [Circular]}\n[object]\n[object]\n[object]\n[[[[[[[[[…]]]]]]]]]\n");
    assertThat(scripts.output()).hasSizeLessThan(40_000);
  }

  @Test
  void longTextIsPrintedWhole() throws Exception {
    scripts.value("console.log('a' + '😀'.repeat(100000)); console.log('b')");

    assertThat(scripts.output()).isEqualTo("a" + "😀".repeat(100_000) + "\nb\n");
  }

  @Test
  void whatWasPrintedBeforeAnErrorIsThere() {
    scripts.failure("console.log('before'); null.x");

    assertThat(scripts.output()).isEqualTo("before\n");
  }
}
