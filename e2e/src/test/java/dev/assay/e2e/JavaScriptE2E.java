package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.AnalyticsRunSpecBuilder;
import dev.assay.api.v1alpha1.AnalyticsRunStatus;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunError;
import dev.assay.api.v1alpha1.RunErrorBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.RunResult;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Scripts in JavaScript and TypeScript, as runs that kubectl could create. */
@Everywhere
class JavaScriptE2E {
  @Test
  void aScriptReadsItsInputPrintsAndReturnsAValue(Assay assay) {
    AnalyticsRunStatus status =
        run(
            assay,
            Language.JAVASCRIPT,
            """
            const total = input.orders.reduce((sum, order) => sum + order.amount, 0);
            console.log('orders:', input.orders.length);
            ({total, largest: Math.max(...input.orders.map(order => order.amount))})
            """,
            "{\"orders\": [{\"amount\": 2.5}, {\"amount\": 4}]}");

    assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Succeeded);
    assertThat(status.className()).isEqualTo("javascript");
    assertThat(result(status).value()).isEqualTo("{\"total\":6.5,\"largest\":4}");
    assertThat(result(status).output()).isEqualTo("orders: 2\n");
  }

  @Test
  void typeScriptRunsWithoutItsTypes(Assay assay) {
    AnalyticsRunStatus status =
        run(
            assay,
            Language.TYPESCRIPT,
            """
            enum Level { Low = 1, High }
            interface Row { name: string; level: Level }
            const rows: Row[] = [{name: 'a', level: Level.High}];
            const names: string[] = await Promise.all(rows.map(async row => row.name));
            return {names, level: Level[rows[0]!.level]} as const;
            """,
            null);

    assertThat(status.phase()).as(status.message()).isEqualTo(RunPhase.Succeeded);
    assertThat(result(status).value()).isEqualTo("{\"names\":[\"a\"],\"level\":\"High\"}");
  }

  @Test
  void anErrorHasItsCodeAndItsPlace(Assay assay) {
    AnalyticsRunStatus thrown =
        run(assay, Language.JAVASCRIPT, "console.log('before');\n  input.a.b", null);
    assertThat(thrown.reason()).isEqualTo(RunReason.CodeError);
    assertThat(result(thrown).output()).isEqualTo("before\n");
    assertThat(result(thrown).value()).isNull();
    assertThat(result(thrown).error())
        .isEqualTo(
            RunErrorBuilder.builder()
                .type("TypeError")
                .message("Cannot read properties of undefined (reading 'b')")
                .line(2)
                .column(11)
                .code("RUNTIME_ERROR")
                .traceback(
                    "TypeError: Cannot read properties of undefined (reading 'b')\n"
                        + "    at script:2:11")
                .build());

    assertThat(error(run(assay, Language.JAVASCRIPT, "let a;\nlet a", null)).code())
        .isEqualTo("SYNTAX_ERROR");
    assertThat(error(run(assay, Language.TYPESCRIPT, "let a: = 1", null)).code())
        .isEqualTo("TRANSPILE_ERROR");
    assertThat(error(run(assay, Language.JAVASCRIPT, "new Map()", null)).code())
        .isEqualTo("SERIALIZATION_ERROR");
  }

  @Test
  void aScriptWithoutAnEndIsStopped(Assay assay) {
    AnalyticsRunStatus status =
        new Runs(assay)
            .awaitEnd(
                new Runs(assay)
                    .create(
                        spec(Language.JAVASCRIPT, "console.log('on'); for (;;) {}", null)
                            .withTimeoutSeconds(1)));

    assertThat(status.phase()).isEqualTo(RunPhase.TimedOut);
    assertThat(status.payloadStarted()).isEqualTo(PayloadStarted.Yes);
    assertThat(result(status).output()).isEqualTo("on\n");
  }

  @Test
  void aFullHeapIsALackOfMemory(Assay assay) {
    AnalyticsRunStatus status =
        run(
            assay,
            Language.JAVASCRIPT,
            "console.log('on'); const all = []; for (;;) all.push({a: all.length})",
            null);

    assertThat(status.reason()).isEqualTo(RunReason.MemoryExceeded);
    assertThat(result(status).output()).isEqualTo("on\n");
  }

  @Test
  void aScriptFindsNothingOfItsSurroundings(Assay assay) {
    String names =
        "['require', 'process', 'fetch', 'setTimeout', 'setInterval', 'XMLHttpRequest', 'Deno',"
            + " 'Java', 'javet', 'WebAssembly', 'gc', 'print', 'load', 'read', 'quit']";

    AnalyticsRunStatus status =
        run(assay, Language.JAVASCRIPT, names + ".filter(name => name in globalThis)", null);

    assertThat(result(status).value()).isEqualTo("[]");
  }

  private static AnalyticsRunStatus run(
      Assay assay, Language language, String code, @Nullable String input) {
    Runs runs = new Runs(assay);
    return runs.awaitEnd(runs.create(spec(language, code, input)));
  }

  private static AnalyticsRunSpec spec(Language language, String code, @Nullable String input) {
    return AnalyticsRunSpecBuilder.builder().language(language).code(code).input(input).build();
  }

  private static RunResult result(AnalyticsRunStatus status) {
    return Objects.requireNonNull(status.result());
  }

  private static RunError error(AnalyticsRunStatus status) {
    return Objects.requireNonNull(result(status).error());
  }
}
