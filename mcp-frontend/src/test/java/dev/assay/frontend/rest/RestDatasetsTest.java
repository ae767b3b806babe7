package dev.assay.frontend.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.api.v1alpha1.Dataset;
import dev.assay.api.v1alpha1.DatasetCompression;
import dev.assay.api.v1alpha1.DatasetFormat;
import dev.assay.api.v1alpha1.DatasetPhase;
import dev.assay.api.v1alpha1.DatasetSource;
import dev.assay.api.v1alpha1.VolumeSource;
import dev.assay.frontend.Fixtures;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.watch.ClusterException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(30)
class RestDatasetsTest {
  private static final String DATASETS = "/api/v1/datasets";
  private static final String DATASET = "/api/v1/datasets/{name}";

  private final TestEndpoint endpoint = new TestEndpoint();
  private final RestClient client = new RestClient(endpoint);

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void dataBecomesADataset() {
    endpoint.datasets.newOnesBecome(null);

    HttpResponse<String> answer =
        client.send("POST", DATASETS, "", "{'name': 'Q1 2024', 'data': 'a,b\\n1,x\\n'}");

    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(answer.headers().firstValue("Location")).hasValue(DATASETS + "/q1-2024");
    JsonNode shown = RestClient.json(answer);
    assertThat(shown.get("name").asString()).isEqualTo("Q1 2024");
    assertThat(shown.get("resourceName").asString()).isEqualTo("q1-2024");
    assertThat(shown.get("phase").asString()).isEqualTo("Pending");
    assertThat(Objects.requireNonNull(source("q1-2024").inline()).text()).isEqualTo("a,b\n1,x\n");
    assertThat(source("q1-2024").format()).isEqualTo(DatasetFormat.CSV);
  }

  @Test
  void aFileOnAVolumeBecomesADataset() {
    client.send("POST", DATASETS, "", "{'name': 'a', 'volume': 'lake', 'path': 'x/y.parquet'}");

    assertThat(source("a"))
        .isEqualTo(
            DatasetSource.volume(
                DatasetFormat.PARQUET, null, new VolumeSource("lake", "x/y.parquet")));
  }

  @Test
  void optionsGoToTheReaderAsTheyCame() throws JsonProcessingException {
    client.send(
        "POST",
        DATASETS,
        "",
        "{'name': 'a', 'volume': 'lake', 'path': 'x/y.tsv.gz', 'options':"
            + " {'dtype': {'zip': 'str'}, 'skiprows': 2, 'na_values': ['-']}}");

    DatasetSource source = source("a");
    assertThat(source.format()).isEqualTo(DatasetFormat.TSV);
    assertThat(source.compression()).isEqualTo(DatasetCompression.GZIP);
    assertThat(new ObjectMapper().writeValueAsString(source.options()))
        .isEqualTo("{\"dtype\":{\"zip\":\"str\"},\"skiprows\":2,\"na_values\":[\"-\"]}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|missing argument 'name'",
        "{'name': '-'}|'name' must have 1 to 63 letters",
        "{'name': 'a'}|give either 'data', or 'volume' and 'path'",
        "{'name': 'a', 'data': '', 'volume': 'v'}|give either 'data', or 'volume' and 'path'",
        "{'name': 'a', 'data': [{}]}|'data' must be a string, not an array",
        "{'name': 'a', 'data': '', 'path': 'x'}|'path' belongs to 'volume'",
        "{'name': 'a', 'data': '', 'format': 'parquet'}|'data' is csv, tsv, json or ndjson; parquet comes",
        "{'name': 'a', 'data': '', 'options': 7}|'options' must be an object, not a number",
        "{'name': 'a', 'data': '', 'format': 'xml'}|'format' must be one of csv, tsv, json, ndjson, parquet, feather, excel",
        "{'name': 'a', 'volume': 'v', 'path': '../x.csv'}|'path' must be relative to the volume",
        "{'name': 'a', 'data': '', 'wait': 1}|'wait' must be true or false, not a number",
        "{'name': 'a', 'text': ''}|unknown argument 'text'; the arguments are name, data",
      })
  void aMemberThatCannotBeUsedIsNamed(String body, String message) {
    HttpResponse<String> answer = client.send("POST", DATASETS, "", body);

    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(RestClient.message(answer)).startsWith(message);
    assertThat(endpoint.datasets.list("runs")).isEmpty();
  }

  @Test
  void whoWaitsIsAnsweredWhenItIsReady() {
    HttpResponse<String> answer =
        client.send("POST", DATASETS, "", "{'name': 'a', 'data': 'a,b\\n1,x\\n', 'wait': true}");

    assertThat(answer.statusCode()).isEqualTo(201);
    JsonNode shown = RestClient.json(answer);
    assertThat(shown.get("phase").asString()).isEqualTo("Ready");
    assertThat(shown.at("/columns/1/name").asString()).isEqualTo("b");
  }

  @Test
  void whoWaitsIsToldOfAFailureTooAndThatItTakesTime() throws Exception {
    endpoint.datasets.newOnesBecome(null);
    HttpResponse<InputStream> answer =
        endpoint
            .client()
            .send(
                client
                    .request("POST", DATASETS, "{'name': 'a', 'data': 'x', 'wait': true}")
                    .build(),
                HttpResponse.BodyHandlers.ofInputStream());
    String heartbeats = "\n".repeat(6);

    assertThat(answer.body().readNBytes(heartbeats.length())).asString(UTF_8).isEqualTo(heartbeats);
    endpoint.datasets.settle("a", DatasetPhase.Failed);

    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(answer.headers().firstValue("Location")).hasValue(DATASETS + "/a");
    JsonNode shown = JsonMapper.shared().readTree(answer.body());
    assertThat(shown.get("phase").asString()).isEqualTo("Failed");
    assertThat(shown.get("message").asString()).isEqualTo("ParserError: line 3");
  }

  @Test
  void whoWaitsForADatasetThatCannotBeReadIsToldThatItWasWritten() {
    endpoint.datasets.readRefusal = ClusterException.unavailable(new IllegalStateException());

    HttpResponse<String> answer =
        client.send("POST", DATASETS, "", "{'name': 'a', 'data': 'x', 'wait': true}");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(RestClient.message(answer))
        .startsWith("The dataset was written, but whether it is ready is not known: ")
        .contains("; GET /api/v1/datasets/a tells (request ");
    assertThat(endpoint.datasets.list("runs")).hasSize(1);
  }

  @Test
  void aNameThatIsTakenIsReplacedOnRequestOnly() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));

    HttpResponse<String> taken =
        client.send("POST", DATASETS, "", "{'name': 'SALES-data', 'data': 'x'}");
    HttpResponse<String> replaced =
        client.send("POST", DATASETS, "", "{'name': 'Sales', 'data': 'x', 'replace': true}");
    HttpResponse<String> again =
        client.send("POST", DATASETS, "", "{'name': 'sales.data', 'data': 'y', 'replace': true}");

    assertThat(taken.statusCode()).isEqualTo(409);
    assertThat(RestClient.message(taken))
        .isEqualTo(
            "There is a dataset 'sales_data' already, and 'SALES-data' is equivalent to that name;"
                + " set 'replace' to true to replace it");
    assertThat(replaced.statusCode()).isEqualTo(201);
    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(Objects.requireNonNull(source("sales-data").inline()).text()).isEqualTo("y");
  }

  @Test
  void datasetsAreListedAndShown() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));
    endpoint.datasets.with(Fixtures.dataset("broken", DatasetPhase.Failed));

    JsonNode list = RestClient.json(client.get(DATASETS));
    JsonNode one = RestClient.json(client.get(DATASET, "Sales%20Data"));

    assertThat(list.at("/items/0/phase").asString()).isEqualTo("Failed");
    assertThat(list.at("/items/1/rows").asLong()).isEqualTo(1);
    assertThat(one.get("name").asString()).isEqualTo("sales_data");
    assertThat(one.get("columns")).hasSize(2);
  }

  @Test
  void aDatasetIsTheCallersOwnOrThatOfAnother() {
    endpoint.datasets.newOnesBecome(null);
    endpoint.datasets.with(loadedBy("bob", "a")).with(loadedBy(null, "b"));

    JsonNode written =
        RestClient.json(client.send("POST", DATASETS, "", "{'name': 'c', 'data': 'x'}"));

    assertThat(written.get("own").asBoolean()).isTrue();
    assertThat(RestClient.json(client.get(DATASETS)).get("items"))
        .extracting(item -> item.get("own").asBoolean())
        .containsExactly(false, false, true);
    assertThat(RestClient.json(client.get(DATASET, "a")).get("own").asBoolean()).isFalse();
    assertThat(RestClient.json(client.get(DATASET, "c")).get("own").asBoolean()).isTrue();
  }

  @Test
  void notesAreShownInOneListAndNotAmongOtherDatasets() {
    endpoint.datasets.with(Fixtures.notedDataset("codes"));

    JsonNode list = RestClient.json(client.get(DATASETS));
    JsonNode one = RestClient.json(client.get(DATASET, "codes"));

    assertThat(list.at("/items/0").has("notes")).isFalse();
    assertThat(one.get("notes"))
        .hasToString(
            "[{\"code\":\"LinesLeftOut\",\"message\":\"3 lines were left out\",\"rows\":3,"
                + "\"firstRow\":7},"
                + "{\"column\":\"zip\",\"code\":\"LeadingZeros\",\"message\":\"is text: 2 values"
                + " begin with a zero, the first in row 1\",\"rows\":2,\"firstRow\":1,"
                + "\"option\":\"{\\\"dtype\\\": {\\\"zip\\\": \\\"Int64\\\"}}\"}]");
    assertThat(one.at("/columns/0").has("notes")).isFalse();
  }

  @Test
  void theDataThatStaysInUseAfterAFailureIsNamed() {
    Dataset failed = Fixtures.dataset("sales", DatasetPhase.Failed);
    failed.setStatus(failed.getStatus().withSnapshot(Fixtures.snapshot()));
    endpoint.datasets.with(failed);

    assertThat(RestClient.json(client.get(DATASET, "sales")).get("message").asString())
        .isEqualTo("ParserError: line 3\nIts earlier data (1 rows x 2 columns) stays in use.");
  }

  @Test
  void aDatasetIsDeletedOnce() {
    endpoint.datasets.with(Fixtures.dataset("sales_data", DatasetPhase.Ready));

    assertThat(client.send("DELETE", DATASET, "sales_data", null).statusCode()).isEqualTo(204);
    HttpResponse<String> second = client.send("DELETE", DATASET, "sales_data", null);

    assertThat(second.statusCode()).isEqualTo(404);
    assertThat(RestClient.message(second)).contains("no dataset 'sales_data'");
    assertThat(client.get(DATASET, "sales_data").statusCode()).isEqualTo(404);
    assertThat(client.get(DATASET, "-").statusCode()).isEqualTo(404);
  }

  private static Dataset loadedBy(@Nullable String caller, String name) {
    Dataset dataset = Fixtures.dataset(name, DatasetPhase.Ready);
    dataset.setSpec(dataset.getSpec().withCaller(caller));
    return dataset;
  }

  private DatasetSource source(String name) {
    Dataset dataset = endpoint.datasets.find("runs", name).orElseThrow();
    return dataset.getSpec().source();
  }
}
