package dev.assay.jvm.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.job.JobFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts that replace what the prelude might use, and that look for what is behind it. */
class HostileScriptsTest {
  private final TestScripts scripts = new TestScripts();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "JSON.stringify = () => 'forged'",
        "JSON = null",
        "Object.prototype.toJSON = undefined; Object.prototype.code = 'X'",
        "Object.defineProperty(Object.prototype, '0', {set() { throw new Error('set') }})",
        "Object.defineProperty(Object.prototype, 'value', {get() { throw new Error('get') }})",
        "Array.prototype[Symbol.iterator] = () => { throw new Error('iterator') }",
        "Array.isArray = Error.isError = () => { throw new Error('is') }",
        "Function.prototype.call = Function.prototype.apply = () => { throw new Error('call') }",
        "Reflect.apply = Reflect.getPrototypeOf = () => { throw new Error('reflect') }",
        "String.prototype.slice = String.prototype.charCodeAt = () => 'forged'",
        "Promise.prototype.then = () => { throw new Error('then') }",
        "Promise = class {}",
        "Map.prototype.forEach = Object.keys = () => { throw new Error('keys') }",
        "Error.prepareStackTrace = () => { throw new Error('prepare') }",
        "Error = null; String = null; Object = null; Array = null; Symbol = null",
        "globalThis.undefined; eval = () => 'forged'"
      })
  void whatIsReplacedChangesNoValue(String hostile) throws Exception {
    assertThat(scripts.value(hostile + "; console.log({a: [1]}); ({a: ['x', 1.5], b: null})"))
        .isEqualTo("{\"a\":[\"x\",1.5],\"b\":null}");
    assertThat(scripts.output()).isEqualTo("{\"a\": [1]}\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Object.prototype.toJSON = () => 'forged'",
        "Object.prototype.code = Object.prototype.message = 'FORGED'",
        "JSON.stringify = () => '{\"code\": \"FORGED\"}'",
        "Object.defineProperty(Object.prototype, 'code', {set() { throw 1 }, get() { return 1 }})",
        "String.prototype.toJSON = () => 'forged'"
      })
  void whatIsReplacedChangesNoError(String hostile) {
    assertThat(scripts.failure(hostile + "; throw new Error('boom')").message()).isEqualTo("boom");
    assertThat(scripts.failure(hostile + "; Symbol()").message()).contains("symbol at the value");
  }

  @Test
  void aStackLeadsToNoFunctionOfThePrelude() throws Exception {
    String code =
        """
        const found = [];
        Error.prepareStackTrace = (error, sites) => {
          for (const site of sites) {
            const own = site.getScriptNameOrSourceURL() !== 'script' && !site.isNative();
            if (own && (site.getFunction() !== undefined || site.getThis() !== undefined)) {
              found.push(String(site));
            }
          }
          return 'stack';
        };
        const look = () => new Error().stack;
        const value = {toJSON() { look(); return found }, get a() { look(); return 1 }};
        console.log(value);
        look();
        value
        """;

    assertThat(scripts.value(code)).isEqualTo("[]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "console.log.caller",
        "console.log.arguments",
        "(function f() { return f.caller })()",
        "({toJSON: function f() { return String(f.caller) }})"
      })
  void noCallerIsVisible(String code) {
    String value;
    try {
      value = scripts.value("String(" + code + ")");
    } catch (JobFailure e) {
      value = e.message();
    }
    assertThat(value).doesNotContain("assay", "outcome", "runScript");
  }

  @Test
  void noObjectOfJavaIsVisible() throws Exception {
    String code =
        """
        const known = new Set(['constructor']);
        const names = [];
        const seen = new Set();
        const walk = (object, path) => {
          if ((typeof object !== 'object' && typeof object !== 'function') || object === null
              || seen.has(object) || path.length > 6) return;
          seen.add(object);
          names.push(path.at(-1));
          for (const key of Reflect.ownKeys(object)) {
            const descriptor = Object.getOwnPropertyDescriptor(object, key);
            for (const value of [descriptor.value, descriptor.get, descriptor.set]) {
              walk(value, [...path, String(key)]);
            }
          }
          walk(Object.getPrototypeOf(object), [...path, '__proto__']);
        };
        walk(globalThis, ['globalThis']);
        names.filter(name => /java|javet|host|write|prelude|assay|runScript|provide/i.test(name))
        """;

    assertThat(scripts.value(code)).isEqualTo("[]");
  }

  @Test
  void aGetterOfAPromiseThatThrowsIsAnError() {
    String code =
        "const p = Promise.resolve(1); Object.defineProperty(p, 'constructor',"
            + " {get() { throw new Error('no') }}); p";

    assertThat(scripts.failure(code).message()).isEqualTo("no");
  }

  @Test
  void recursionWithinThePreludeIsAnErrorOfTheScript() throws Exception {
    String code =
        """
        let depth = 0;
        const value = {get a() { depth++; console.log(value); return 1 }};
        console.log(value);
        function f() { try { console.log('deep') } catch {} f() }
        try { f() } catch (error) { error.name }
        """;

    assertThat(scripts.value(code)).isEqualTo("\"RangeError\"");
  }

  @Test
  void codeThatIsNestedDeeplyIsAnErrorAndNoCrash() {
    String nested = "(".repeat(50_000) + ")".repeat(50_000);

    assertThat(scripts.failure(nested).code()).isNotNull();
    assertThat(scripts.failure("return " + nested).code()).isNotNull();
  }
}
