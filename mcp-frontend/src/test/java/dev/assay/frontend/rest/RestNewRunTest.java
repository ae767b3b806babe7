package dev.assay.frontend.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.v1alpha1.AnalyticsRunSpec;
import dev.assay.api.v1alpha1.ChartSpec;
import dev.assay.api.v1alpha1.ChartType;
import dev.assay.api.v1alpha1.Language;
import dev.assay.api.v1alpha1.ReplySpec;
import dev.assay.api.v1alpha1.RunFile;
import dev.assay.api.v1alpha1.RunInput;
import dev.assay.api.v1alpha1.RunMode;
import dev.assay.api.v1alpha1.RunTools;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a new run can have beside its code. */
class RestNewRunTest {
  private static final String RUNS = "/api/v1/runs";

  private final TestEndpoint endpoint = new TestEndpoint();
  private final RestClient client = new RestClient(endpoint);

  @AfterEach
  void stop() {
    endpoint.close();
  }

  private HttpResponse<String> create(String body) {
    return client.send("POST", RUNS, "", body);
  }

  private AnalyticsRunSpec created(String body) {
    assertThat(create(body).statusCode()).isEqualTo(201);
    return endpoint.runs.created.getLast().getSpec();
  }

  @Test
  void aRunInCodeModeHasItsClassAndItsTimeLimit() {
    AnalyticsRunSpec code = created("{'code': '1', 'mode': 'code'}");
    assertThat(code.mode()).isEqualTo(RunMode.CODE);
    assertThat(code.className()).isEqualTo("code");
    assertThat(code.timeoutSeconds()).isEqualTo(120);
  }

  @ParameterizedTest
  @ValueSource(strings = {"standard", "legacy"})
  void theDefaultModeIsReadByItsFormerNameToo(String mode) {
    AnalyticsRunSpec standard = created("{'code': '1', 'mode': '" + mode + "'}");
    assertThat(standard.mode()).isNull();
    assertThat(standard.className()).isEqualTo("python");
    assertThat(standard.timeoutSeconds()).isEqualTo(30);
  }

  /** The operator takes it as it is: what a key grants asks for no tools. */
  @Test
  void aKeyThatIsLimitedToToolsRunsPythonInAClassWithoutAny() {
    HttpResponse<String> answer =
        endpoint.send(
            endpoint
                .request(RUNS, "{\"code\": \"1\"}")
                .header("X-API-Key", "carol-reading-key")
                .build());

    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(endpoint.runs.created.getLast().getSpec().tools())
        .isEqualTo(new RunTools(null, null, null, TestEndpoint.READING));
    assertThat(created("{'code': '1'}").tools()).as("of a key without limits").isNull();
  }

  @Test
  void aScriptHasTheDefaultClassOfItsLanguage() {
    AnalyticsRunSpec script = created("{'code': '1', 'language': 'typescript', 'input': [1]}");
    assertThat(script.language()).isEqualTo(Language.TYPESCRIPT);
    assertThat(script.className()).isNull();
    assertThat(script.input()).isEqualTo("[1]");
    assertThat(created("{'code': '1', 'language': 'javascript', 'runClass': 'own'}").className())
        .isEqualTo("own");
  }

  @Test
  void filesInputsAndFramesToKeepReachTheRun() {
    endpoint.runs.with(Fixtures.run("run-a", null)).with(Fixtures.run("run-b", null));
    AnalyticsRunSpec spec =
        created(
            "{'code': '1', 'files': {'lib/a.py': 'x = 1'}, 'keep': ['by_region'],"
                + " 'inputs': [{'run': 'run-a', 'artifact': 'a.csv'}, {'run': 'run-b'}]}");

    assertThat(spec.files()).containsExactly(new RunFile("lib/a.py", "x = 1"));
    assertThat(spec.inputs())
        .containsExactly(new RunInput("run-a", "a.csv", null), new RunInput("run-b", null, null));
    assertThat(spec.keep()).containsExactly("by_region");
  }

  @Test
  void aTimeZoneBelongsToRowsOfSql() {
    String query = "{'code': 'SELECT 1', 'replyRows': 5, 'timeZone': 'Asia/Tokyo', 'language': '";
    assertThat(created(query + "sql'}").reply()).isEqualTo(new ReplySpec(5, null, "Asia/Tokyo"));
  }

  @ParameterizedTest
  @CsvSource({"auto,", "line, LINE"})
  void aChartBelongsToRows(String chart, ChartType type) {
    assertThat(
            created(
                    "{'code': 'SELECT 1', 'language': 'sql', 'replyRows': 5, 'chart': '"
                        + chart
                        + "'}")
                .reply())
        .isEqualTo(new ReplySpec(5, new ChartSpec(type), null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'code': '1', 'chart': 'bar'}|'chart' requires 'replyRows'",
        "{'code': '1', 'replyRows': 1, 'chart': 'pie'}|'chart' must be one of auto, bar",
        "{'code': '1', 'replyRows': 1, 'timeZone': 'Asia/Tokyo'}|'timeZone' requires 'replyRows'"
            + " and language sql",
        "{'code': '1', 'language': 'sql', 'replyRows': 1, 'timeZone': 'Mars'}|'timeZone' must be a"
            + " name of the IANA database",
        "{'code': '1', 'mode': 'fast'}|'mode' must be one of standard, code",
        "{'code': 'SELECT 1', 'language': 'sql', 'mode': 'code'}|'mode' code requires 'code' and"
            + " language python",
        "{'builtin': {'name': 'sample'}, 'mode': 'code'}|'mode' code requires 'code' and language"
            + " python",
        "{'code': '1', 'files': {'..': ''}}|'files': '..' must be a relative path",
        "{'code': '1', 'inputs': [{'artifact': 'a'}]}|missing argument 'run'",
        "{'code': '1', 'keep': ['1st']}|'keep[0]' must be the name of a variable",
      })
  void aWrongFieldIsNamed(String body, String message) {
    HttpResponse<String> answer = create(body);

    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(RestClient.message(answer)).startsWith(message);
    assertThat(endpoint.runs.created).isEmpty();
  }
}
