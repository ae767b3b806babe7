package dev.assay.frontend.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.assay.api.metrics.ProgramMetrics;
import dev.assay.frontend.FakeDatasets;
import dev.assay.frontend.FakeOutputs;
import dev.assay.frontend.FakeRunClasses;
import dev.assay.frontend.FakeRuns;
import dev.assay.frontend.FakeScripts;
import dev.assay.frontend.TestEndpoint;
import dev.assay.frontend.analytics.RunValues;
import dev.assay.frontend.argument.Parameters;
import dev.assay.frontend.call.CallLog;
import dev.assay.frontend.config.CodeExecution;
import dev.assay.frontend.dataset.DatasetUploads;
import dev.assay.frontend.dataset.DatasetWait;
import dev.assay.frontend.dataset.UploadRelay;
import dev.assay.frontend.run.RunSubmission;
import dev.assay.frontend.run.RunWait;
import dev.assay.frontend.script.ScriptExecution;
import dev.assay.frontend.toolserver.ToolCatalogs;
import dev.assay.frontend.toolserver.ToolServers;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class OpenApiTest {
  private final OpenApi openApi = OpenApi.shipped();
  private final FakeDatasets datasets = new FakeDatasets();
  private final DatasetWait wait = new DatasetWait(Duration.ofMillis(10));
  private final RestApi.Settings settings =
      new RestApi.Settings("python", "sql", "code", 30, 120, 600, Duration.ofMillis(10));
  private final FakeRuns runs = new FakeRuns();
  private final ScriptExecution scripts =
      new ScriptExecution(
          CodeExecution.on(),
          new FakeScripts(),
          new RunSubmission(
              runs,
              FakeRunClasses.usual(),
              new RunWait(runs, Duration.ofMillis(10), Duration.ofMillis(10)),
              () -> "run-a"),
          new RunValues(new FakeOutputs()));
  private final RestApi.Services services =
      new RestApi.Services(
          runs,
          new RunWait(runs, Duration.ofMillis(10), Duration.ofMillis(10)),
          datasets,
          new DatasetUploads(datasets, UploadRelay.NONE, wait, FakeRunClasses.usual()),
          wait,
          FakeRunClasses.usual(),
          new FakeOutputs(),
          () -> "run-a",
          scripts,
          new ToolCatalogs(CodeExecution.on(), ToolServers.NONE, FakeRunClasses.usual()),
          new CallLog(ProgramMetrics.unread()));
  private final RestApi api = new RestApi(settings, services);

  @Test
  void everyRouteIsDescribedAndNothingElseIs() {
    assertThat(openApi.operations())
        .isEqualTo(
            api.routes().stream()
                .map(route -> route.method() + " " + route.template())
                .collect(Collectors.toSet()));
  }

  @Test
  void theParametersOfEachRouteAreDescribed() {
    for (Route route : api.routes()) {
      assertThat(openApi.queryParameters(route.method(), route.template()))
          .as("%s %s", route.method(), route.template())
          .containsExactlyInAnyOrderElementsOf(route.parameters());
    }
  }

  @Test
  void whatARouteNeedsIsDescribed() {
    for (Route route : api.routes()) {
      JsonNode operation = openApi.operation(route.method(), route.template());
      boolean open = operation.has("security") && operation.get("security").isEmpty();
      boolean hasBody = route.requirements().body() != Route.Body.NONE;
      assertThat(open).as("%s needs no key", route).isEqualTo(!route.requirements().key());
      assertThat(operation.has("requestBody")).as("%s", route).isEqualTo(hasBody);
      assertThat(operation.path("responses").has("401")).isEqualTo(route.requirements().key());
      assertThat(operation.path("responses").has("415")).isEqualTo(hasBody);
    }
  }

  @Test
  void theFieldsOfEachJsonBodyAreDescribedAsTheyAreChecked() {
    requireDescribed("NewDataset", DatasetsResource.PARAMETERS);
    requireDescribed("NewScript", scripts.parameters().all());
    requireDescribed("ScriptOptions", scripts.parameters().options());
    requireDescribed("NewRun", new RunsResource(settings, services).parameters());
    requireDescribed(
        openApi.document().at("/components/schemas/NewRun/properties/builtin"),
        RunParts.BUILTIN_FIELDS);
  }

  /** The document may say more, but neither names other fields nor other bounds. */
  private void requireDescribed(String schema, Parameters parameters) {
    requireDescribed(openApi.document().at("/components/schemas/" + schema), parameters);
  }

  private void requireDescribed(JsonNode described, Parameters parameters) {
    JsonNode checked = JsonMapper.shared().valueToTree(parameters.jsonSchema());
    assertThat(described.get("properties").propertyNames())
        .containsExactlyInAnyOrderElementsOf(parameters.names());
    assertThat(described.get("required")).isEqualTo(checked.get("required"));
    for (String field : parameters.names()) {
      JsonNode listed = described.get("properties").get(field);
      JsonNode property =
          openApi.resolved(listed.has("allOf") ? listed.get("allOf").get(0) : listed);
      for (String bound : Set.of("type", "anyOf", "minimum", "maximum", "maxItems", "enum")) {
        JsonNode value = checked.get("properties").get(field).path(bound);
        assertThat(property.path(bound)).as("%s of %s", bound, field).isEqualTo(value);
      }
    }
  }

  @Test
  void everyReferenceLeadsSomewhereAndEveryComponentIsUsed() {
    Set<String> references = new HashSet<>();
    collect(openApi.document(), references);

    assertThat(references)
        .allSatisfy(
            reference ->
                assertThat(openApi.document().at(reference.substring(1)).isMissingNode())
                    .as(reference)
                    .isFalse());
    for (String kind : Set.of("schemas", "responses", "parameters")) {
      assertThat(openApi.document().at("/components/" + kind).propertyNames())
          .allSatisfy(name -> assertThat(references).contains("#/components/" + kind + "/" + name));
    }
  }

  private static void collect(JsonNode node, Set<String> references) {
    if (node.has("$ref")) {
      references.add(node.get("$ref").asString());
    }
    node.forEach(child -> collect(child, references));
  }

  @Test
  void anAnswerThatIsNotDescribedWouldBeSeen() {
    String run =
        """
        {"name": "a", "phase": "Pending", "language": "python", "runClass": "python",
         "createdAt": "2026-01-02T03:04:05Z", "cancelRequested": false %s}\
        """;

    assertThat(openApi.errors("Run", run.formatted(""))).isEmpty();
    assertThat(openApi.errors("Run", run.formatted(", \"more\": 1"))).hasSize(1);
    assertThat(openApi.errors("Run", run.formatted(", \"usage\": {\"cpuSeconds\": 1}"))).hasSize(1);
    assertThat(openApi.errors("Run", "{}")).hasSize(5);
  }

  @Test
  void itIsServedToEverybody() {
    try (TestEndpoint endpoint = new TestEndpoint()) {
      HttpResponse<String> answer =
          endpoint.send(
              HttpRequest.newBuilder(URI.create(endpoint.url() + "/api/v1/openapi.json")).build());

      openApi.requireConforming("GET", "/api/v1/openapi.json", answer);
      assertThat(RestClient.json(answer).get("openapi").asString()).isEqualTo("3.1.0");
      assertThat(RestClient.json(answer).get("paths")).isEqualTo(openApi.document().get("paths"));
    }
  }
}
