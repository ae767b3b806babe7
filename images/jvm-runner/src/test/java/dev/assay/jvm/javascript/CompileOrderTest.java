package dev.assay.jvm.javascript;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.jvm.job.ErrorCode;
import dev.assay.jvm.job.JobFailure;
import dev.assay.jvm.job.JobFailure.Place;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How code becomes a program, and where its errors are. */
class CompileOrderTest {
  private final TestScripts scripts = new TestScripts();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "1 + 1 | 2",
        "let a = 2; a * 3 | 6",
        "if (true) { 5 } else { 6 } | 5",
        "for (let i = 0; i < 3; i++) i | 2",
        "const a = 1; | null",
        "~~ | null",
        "x = 5; x | 5",
        "return 7 | 7",
        "if (false) return 1; 8 | 8",
        "if (true) return 1; 8 | 1",
        "return | null",
        "await 9 | 9",
        "({sum: await Promise.resolve(20)}) | {\"sum\":20}",
        "[1, await 2] | [1,2]",
        "Math.max(1, await Promise.resolve(21)) | 21",
        "await (10) | 10",
        "const a = await (async () => 11)(); a | 11",
        "await (async () => 12)() | 12",
        "const a = await Promise.all([1, 2]); return a | [1,2]",
        "let s = 0; for await (const x of [1, 2]) s += x; s | 3",
        "async function main() { return await (13) } main() | 13",
        "const f = async () => await [14]; f() | [14]",
        "(async () => { await (1); return 15 })() | 15",
        "Promise.resolve(16) | 16",
        "'use strict'; (function () { return this === undefined })() | true",
        "(function () { return this === globalThis })() | true",
        "await 1; (function () { return this === globalThis })() | true",
        "with ({a: 17}) { a } | 17",
        "var await = 18; await + 0 | 18",
        "var re = /[(]/; return re.test('(') | true"
      })
  void theValueIsThatOfTheLastExpressionOrOfReturn(String code, String value) throws Exception {
    assertThat(scripts.value(code)).isEqualTo(value);
  }

  @Test
  void aCommentAtTheEndHidesNothing() throws Exception {
    assertThat(scripts.value("1 // one")).isEqualTo("1");
    assertThat(scripts.value("await 1 // one")).isEqualTo("1");
    assertThat(scripts.value("return 1 // one\n//# sourceURL=other.js")).isEqualTo("1");
  }

  @Test
  void charactersOfTwoCodeUnitsAreBeforeTheLastExpression() throws Exception {
    assertThat(scripts.value("const é = '😀😀'; await 1; é + 1")).isEqualTo("\"😀😀1\"");
  }

  @Test
  void aFenceOfMarkdownIsTakenOff() throws Exception {
    assertThat(scripts.value("```js\n1 + 1\n```")).isEqualTo("2");
    assertThat(scripts.failure("```js\n\n  nothing\n```").place()).isEqualTo(new Place(3, 3, ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "1 + | 1 | 4 | Unexpected end of input",
        "let x; let x | 1 | 12 | Identifier 'x' has already been declared",
        "return 1 }); (() => { | 1 | 10 | Unexpected token '}'",
        "await 1 }); (() => { | 1 | 10 | Unexpected token ')'",
        "return 1; let x; let x | 1 | 22 | Identifier 'x' has already been declared",
        "await 1; let x; let x | 1 | 21 | Identifier 'x' has already been declared",
        "import x from 'y' | 1 | 1 | Cannot use import statement outside a module",
        "function f() { await g() } | 1 | 16 | await is only valid in async functions and the top"
            + " level bodies of modules",
        "break | 1 | 1 | Illegal break statement"
      })
  void anErrorOfSyntaxHasThePlaceOfTheUser(String code, int line, int column, String message) {
    JobFailure failure = scripts.failure(code);

    assertThat(failure.code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
    assertThat(failure.type()).isEqualTo("SyntaxError");
    assertThat(failure.message()).isEqualTo(message);
    assertThat(failure.place()).isEqualTo(new Place(line, column, ""));
    assertThat(failure.traceback()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "~let a = 1;\n  null.x~ | 2 | 8",
        "~await 1;\nfoo(); null.x~ | 2 | 1",
        "await null.x | 1 | 12",
        "return 1 ? null.x : 2 | 1 | 17",
        "~if (0) return 1;\n  null.x; null.y~ | 2 | 8",
        "~if (0) return 1;\n  (1, null.y)~ | 2 | 12",
        "await 1; (1, null.y) | 1 | 19"
      })
  void anErrorHasThePlaceOfTheUserInEachForm(String code, int line, int column) {
    JobFailure failure = scripts.failure(code);

    assertThat(failure.code()).isEqualTo(ErrorCode.RUNTIME_ERROR);
    assertThat(failure.place()).isEqualTo(new Place(line, column, ""));
  }

  @Test
  void typesAreTakenOffTypeScript() throws Exception {
    String code =
        """
        interface Row { id: number }
        type Rows = Row[];
        enum Color { Red = 1, Green }
        namespace Names { export const prefix = 'n' }
        class Box<T> { constructor(private readonly value: T) {} get(): T { return this.value } }
        const identity = <T,>(value: T): T => value;
        const rows: Rows = [{id: 1}, {id: 2}];
        const last = rows.at(-1)!;
        abstract class Shape { abstract area(): number }
        ({ids: rows.map((row): number => row.id), color: Color.Green, name: Names.prefix,
          box: new Box<number>(identity(3)).get(), last: (last as Row).id}) satisfies object
        """;

    assertThat(scripts.typeScriptValue(code))
        .isEqualTo("{\"ids\":[1,2],\"color\":2,\"name\":\"n\",\"box\":3,\"last\":2}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "const x: number = await (Promise.resolve(1)); x | 1",
        "return 2 as number | 2",
        "const a: number[] = [3]; a[0] | 3",
        "let s: unknown; s = 4; s | 4"
      })
  void typeScriptReturnsAndAwaitsToo(String code, String value) throws Exception {
    assertThat(scripts.typeScriptValue(code)).isEqualTo(value);
  }

  @Test
  void javaScriptIsTypeScript() throws Exception {
    assertThat(scripts.typeScriptValue("var a = 1; for (const b of [1, 2]) a += b; a"))
        .isEqualTo("4");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "let y: = 5 | 1 | 8",
        "~interface {\n}~ | 1 | 11",
        "~const a = 1;\nimport x from \"y\"; x~ | 2 | 1"
      })
  void anErrorInTypeScriptHasItsPlace(String code, int line, int column) {
    JobFailure failure = scripts.typeScriptFailure(code);

    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPILE_ERROR);
    assertThat(failure.message()).doesNotContain("file:", "\n", "SyntaxError");
    assertThat(failure.place()).isEqualTo(new Place(line, column, ""));
  }

  @Test
  void placesInTypeScriptAreThoseOfTheUser() {
    String code =
        "interface A {\n  x: number\n}\nfunction f(a: A): number {\n  return a.x.y.z\n}\n"
            + "const a: number = 1;\n  f({x: 1})";

    JobFailure failure = scripts.typeScriptFailure(code);

    assertThat(failure.place()).isEqualTo(new Place(5, 16, ""));
    assertThat(failure.traceback())
        .isEqualTo(
            "TypeError: Cannot read properties of undefined (reading 'z')\n"
                + "    at f (script:5:16)\n    at script:8:3");
    assertThat(scripts.typeScriptFailure("const a: number = 1;\n\nlet a = 2").place())
        .isEqualTo(new Place(3, 5, ""));
    assertThat(scripts.typeScriptFailure("const a: number = 1;\n\nawait 1; (a as any).b.c").place())
        .isEqualTo(new Place(3, 23, ""));
  }
}
