package dev.assay.frontend.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.PayloadStarted;
import dev.assay.api.v1alpha1.RunErrorBuilder;
import dev.assay.api.v1alpha1.RunPhase;
import dev.assay.api.v1alpha1.RunReason;
import dev.assay.api.v1alpha1.ToolCallCounts;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What tools return beside their text, and the schemas that they list for it. */
class StructuredRepliesTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  private final SchemaRegistry schemas =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
  private final TestEndpoint endpoint = TestEndpoint.withOutputSchemas();
  private final Map<String, JsonNode> outputSchemas = outputSchemas();

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void toolsThatDescribeSomethingListASchemaOfItAndCodeReturnsTextAlone() {
    assertThat(outputSchemas)
        .containsOnlyKeys(
            "analytics_cache_invalidate",
            "analytics_execute_query",
            "analytics_export_result",
            "analytics_profile_dataset",
            "analytics_stream_sample",
            "describe_dataset",
            "describe_runtime",
            "get_run",
            "list_datasets",
            "list_runs",
            "load_dataset");
    JsonNode run = outputSchemas.get("list_runs").at("/properties/runs/items");
    assertThat(run.get("properties").propertyNames())
        .startsWith("name", "phase", "reason", "language")
        .doesNotContain("summary");
    assertThat(run.at("/properties/durationMs")).hasToString("{\"type\":\"integer\"}");
    assertThat(run.at("/properties/phase")).hasToString("{\"type\":\"string\"}");
    assertThat(run.get("required").valueStream().map(JsonNode::asString))
        .containsExactly("name", "phase", "language", "createdAt");
  }

  @Test
  void theSchemasAreListedWhereTheyAreSwitchedOnOnly() {
    try (TestEndpoint usual = new TestEndpoint()) {
      String list =
          usual
              .post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}")
              .body();

      assertThat(list).contains("\"list_runs\"").doesNotContain("outputSchema");
    }
  }

  @Test
  void datasetsAreListedDescribedAndLoadedAsTheirSchemasSay() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    endpoint.datasets.with(Fixtures.dataset("broken", DatasetPhase.Failed));
    endpoint.datasets.with(Fixtures.dataset("coming", DatasetPhase.Loading));

    JsonNode listed = structured("list_datasets", "{}");
    assertThat(listed.get("datasets").size()).isEqualTo(3);
    assertThat(listed.get("omitted").asInt()).isZero();
    JsonNode described = structured("describe_dataset", "{\"dataset_name\":\"sales_data\"}");
    assertThat(described.get("name").asString()).isEqualTo("sales_data");
    assertThat(described.at("/columns/0/name").asString()).isEqualTo("a");
    endpoint.datasets.with(Fixtures.notedDataset("noted"));
    assertThat(
            structured("describe_dataset", "{\"dataset_name\":\"noted\"}")
                .at("/notes/1/column")
                .asString())
        .isEqualTo("zip");
    assertThat(structured("describe_dataset", "{\"dataset_name\":\"broken\"}").get("message"))
        .hasToString("\"ParserError: line 3\"");
    assertThat(structured("describe_dataset", "{\"dataset_name\":\"coming\"}").get("phase"))
        .hasToString("\"Loading\"");
    assertThat(
            structured("load_dataset", "{\"dataset_name\":\"d\",\"text\":\"a,b\\n1,x\\n\"}")
                .get("rows")
                .asInt())
        .isEqualTo(1);
  }

  @Test
  void runsAreListedAndShownAsTheirSchemasSay() {
    endpoint.runs.with(Fixtures.run("run-a", null));
    endpoint.runs.with(
        Fixtures.run(
            "run-b",
            Fixtures.status(
                RunPhase.Failed,
                RunReason.CodeError,
                "KeyError: 'x'",
                PayloadStarted.Yes,
                Fixtures.result(
                    "before\n",
                    RunErrorBuilder.builder()
                        .type("KeyError")
                        .message("'x'")
                        .line(1)
                        .traceback("Trace")
                        .build()))));

    assertThat(structured("list_runs", "{}").get("runs").size()).isEqualTo(2);
    assertThat(structured("get_run", "{\"name\":\"run-a\"}").get("phase"))
        .hasToString("\"Pending\"");
    JsonNode ended = structured("get_run", "{\"name\":\"run-b\"}");
    assertThat(ended.get("output").asString()).isEqualTo("before\n");
    assertThat(ended.at("/error/line").asInt()).isEqualTo(1);
    assertThat(ended.get("reason").asString()).isEqualTo("CodeError");
    endpoint.runs.with(
        Fixtures.run("run-c", Fixtures.succeeded("").withToolCalls(new ToolCallCounts(3, 1, 2))));
    assertThat(structured("get_run", "{\"name\":\"run-c\"}").get("toolCalls"))
        .hasToString("{\"sent\":3,\"failed\":1,\"refused\":2}");
  }

  @Test
  void theRuntimeIsDescribedAsItsSchemaSaysAlsoWhereTheImagePrintsSomethingElse() {
    endpoint.runs.operator(
        (fake, run) ->
            fake.status(
                run, Fixtures.succeeded("Python 3.13.1\nPackages: a-b 1.0, c.d 2!3+x, numpy 2\n")));

    JsonNode described = structured("describe_runtime", "{}");
    assertThat(described.get("python").asString()).isEqualTo("3.13.1");
    assertThat(described.get("packages").properties())
        .extracting(one -> one.getKey() + "=" + one.getValue().asString())
        .containsExactly("a-b=1.0", "c.d=2!3+x", "numpy=2");
    assertThat(described.at("/limits/memory").asString()).isEqualTo("512Mi");
  }

  @Test
  void aQueryIsAnsweredAsItsSchemaSays() {
    endpoint.datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    endpoint.runs.operator(
        (fake, run) ->
            fake.status(
                run,
                Fixtures.returned(
                    """
                    {"table":{"columns":[{"name":"n","type":"BIGINT"}],"rows":[[1],[null]],
                      "totalRows":5},"engine":"duckdb","engineMs":3,"rowsScanned":9,
                     "warnings":["w"],"summary":[{"name":"n","type":"BIGINT","nulls":1,"distinct":1,
                       "min":1,"max":1,"mean":1.0}]}""")));

    JsonNode rows =
        structured(
            "analytics_execute_query",
            "{\"query_type\":\"sql\",\"query\":\"SELECT 1\",\"files\":[\"d\"]}");
    assertThat(rows.get("data")).hasToString("[{\"n\":1},{\"n\":null}]");
    assertThat(rows.at("/summary/rows_processed").asInt()).isEqualTo(9);
    assertThat(rows.get("truncated").asBoolean()).isTrue();
    JsonNode summary =
        structured(
            "analytics_execute_query",
            "{\"query_type\":\"sql\",\"query\":\"SELECT 1\",\"files\":[\"d\"],"
                + "\"return_format\":\"summary\"}");
    assertThat(summary.at("/column_summary/0/mean").asDouble()).isEqualTo(1);
    assertThat(structured("analytics_cache_invalidate", "{}").get("invalidated_count").asInt())
        .isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "analytics_execute_query|{\"query_type\":\"sql\",\"query\":\"SELECT 1\",\"files\":[],\"wait_seconds\":0}",
        "analytics_profile_dataset|{\"file_path\":\"d\",\"wait_seconds\":0}",
        "analytics_stream_sample|{\"file_path\":\"d\",\"wait_seconds\":0}",
        "analytics_export_result|{\"query_id\":\"run-q\",\"destination\":\"/workspace/exports\",\"wait_seconds\":0}",
      })
  void aRunThatContinuesIsNamedAsTheSchemaSays(String tool, String arguments) {
    endpoint.datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    endpoint.runs.with(
        Fixtures.run(
            "run-q",
            Fixtures.returned(
                    "{\"table\":{\"columns\":[{\"name\":\"n\",\"type\":\"BIGINT\"}],\"rows\":[[1]],"
                        + "\"totalRows\":1}}")
                .withArtifacts(
                    List.of(
                        Fixtures.artifact(
                            "results/result.parquet",
                            new byte[4],
                            "application/vnd.apache.parquet")))));

    JsonNode reply = structured(tool, arguments);

    String name = endpoint.runs.created.getFirst().getMetadata().getName();
    assertThat(reply.get("result_type").asString()).isEqualTo("in_progress");
    assertThat(reply.get("query_id").asString()).isEqualTo(name);
    assertThat(reply.get("message").asString())
        .startsWith("The run " + name + " continues: Pending after 0 s. get_run(name=\"" + name);
  }

  @Test
  void anErrorOfAnAnalyticsToolHasBothForms() {
    JsonNode result = call("analytics_stream_sample", "{\"file_path\":\"../x\"}");

    assertThat(result.get("isError").asBoolean()).isTrue();
    assertThat(result.at("/structuredContent/result_type").asString()).isEqualTo("error");
    assertThat(result.at("/structuredContent/error/code").asInt()).isEqualTo(4001);
    assertThat(result.at("/content/0/text").asString()).startsWith("ERROR 4001 (Invalid Input): ");
    JsonNode schema = outputSchemas.get("analytics_stream_sample").deepCopy();
    close(schema);
    assertThat(schemas.getSchema(schema).validate(result.get("structuredContent"))).isEmpty();
  }

  @Test
  void anErrorHasTextAlone() {
    JsonNode result = call("get_run", "{\"name\":\"none\"}");

    assertThat(result.get("isError").asBoolean()).isTrue();
    assertThat(result.has("structuredContent")).isFalse();
  }

  @Test
  void whatCodePrintsIsTextAlone() {
    endpoint.datasets.with(Fixtures.dataset("d", DatasetPhase.Ready));
    endpoint.runs.operator((fake, run) -> fake.status(run, Fixtures.succeeded("{\"a\": 1}\n")));

    assertThat(
            call(
                "execute_custom_analytics_code",
                "{\"dataset_name\":\"d\",\"python_code\":\"print(a)\"}"))
        .isEqualTo(
            JSON.readTree(
                """
                {"content": [{"type": "text", "text": "{\\"a\\": 1}\\n"}], "isError": false}\
                """));
  }

  private Map<String, JsonNode> outputSchemas() {
    Map<String, JsonNode> found = new TreeMap<>();
    for (JsonNode tool : answer("tools/list", "{}").get("tools")) {
      if (tool.has("outputSchema")) {
        found.put(tool.get("name").asString(), tool.get("outputSchema"));
      }
    }
    return found;
  }

  /** The structured content of a success, which has nothing that its schema does not name. */
  private JsonNode structured(String tool, String arguments) {
    JsonNode result = call(tool, arguments);
    assertThat(result.get("isError").asBoolean()).as("%s", result).isFalse();
    JsonNode structured = result.get("structuredContent");
    JsonNode schema = outputSchemas.get(tool).deepCopy();
    close(schema);
    assertThat(schemas.getSchema(schema).validate(structured)).as("%s", structured).isEmpty();
    return structured;
  }

  private static void close(JsonNode schema) {
    schema.forEach(StructuredRepliesTest::close);
    if (schema instanceof ObjectNode object
        && object.path("properties").isObject()
        && object.path("type").isString()) {
      object.put("additionalProperties", false);
    }
  }

  private JsonNode call(String tool, String arguments) {
    return answer("tools/call", "{\"name\":\"%s\",\"arguments\":%s}".formatted(tool, arguments));
  }

  private JsonNode answer(String method, String params) {
    return JSON.readTree(
            endpoint
                .post(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}"
                        .formatted(method, params))
                .body())
        .get("result");
  }
}
