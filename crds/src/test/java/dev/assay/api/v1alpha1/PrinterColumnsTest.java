package dev.assay.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.assay.api.v1alpha1.RunClassStatus.WarmPoolStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code kubectl get} prints. */
class PrinterColumnsTest {
  @ParameterizedTest
  @ValueSource(strings = {"analyticsruns", "datasets", "runclasses", "toolservers"})
  void everyColumnHasAFieldThatTheSchemaHas(String plural) throws IOException {
    JSONSchemaProps root = version(plural).getSchema().getOpenAPIV3Schema();
    for (CustomResourceColumnDefinition column : columns(plural)) {
      String path = column.getJsonPath();
      if (path.equals(".metadata.creationTimestamp")) {
        assertThat(column.getType()).isEqualTo("date");
        continue;
      }
      JSONSchemaProps field = field(root, path);
      assertThat(field).as(path).isNotNull();
      // kubectl prints an array as text.
      String type = "array".equals(field.getType()) ? "string" : field.getType();
      assertThat(column.getType()).as(path).isEqualTo(type);
    }
  }

  private static @Nullable JSONSchemaProps field(JSONSchemaProps root, String path) {
    JSONSchemaProps field = root;
    for (String name : path.substring(1).split("\\.", -1)) {
      field = field == null ? null : field.getProperties().get(name);
    }
    return field;
  }

  @Test
  void aClassIsPrintedWithWhatItsWarmPoolsHave() throws IOException {
    RunClass runClass = new RunClass();
    runClass.setSpec(RunClassSpecTest.spec(List.of("*"), List.of(Language.PYTHON)));
    runClass.setStatus(
        RunClassStatus.EMPTY.withWarmPool(new WarmPoolStatus(4, 3, 20, 10, List.of())));
    assertThat(printed("runclasses", runClass))
        .containsExactly(
            Map.entry("Purpose", "Run"),
            Map.entry("CPU", "1"),
            Map.entry("Memory", "512Mi"),
            Map.entry("Max Timeout", "120"),
            Map.entry("Ready", "4"),
            Map.entry("Starting", "3"),
            Map.entry("Hits", "20"),
            Map.entry("Misses", "10"));
  }

  @Test
  void aRunIsPrintedWithItsClassItsEndAndWhetherItsPodWasWarm() throws IOException {
    AnalyticsRun run = new AnalyticsRun();
    run.setStatus(
        AnalyticsRunStatusBuilder.builder()
            .className("python")
            .phase(RunPhase.Succeeded)
            .reason(RunReason.Completed)
            .runTime("12ms")
            .queueTime("3ms")
            .pod(BoundPodBuilder.builder().name("warm-1").uid("u").warm(true).nonce("n").build())
            .build());
    assertThat(printed("analyticsruns", run))
        .containsExactly(
            Map.entry("Class", "python"),
            Map.entry("Phase", "Succeeded"),
            Map.entry("Reason", "Completed"),
            Map.entry("Run Time", "12ms"),
            Map.entry("Pod", "warm-1"),
            Map.entry("Warm", "true"),
            Map.entry("Queued", "3ms"));
  }

  /** What the columns have for an object, in their order, without those that are empty. */
  private static Map<String, String> printed(String plural, HasMetadata object) throws IOException {
    JsonNode json = Serialization.unmarshal(Serialization.asJson(object), JsonNode.class);
    Map<String, String> printed = new LinkedHashMap<>();
    for (CustomResourceColumnDefinition column : columns(plural)) {
      JsonNode value = json.at(column.getJsonPath().replace('.', '/'));
      if (!value.isMissingNode() && !value.isNull()) {
        printed.put(column.getName(), value.asText());
      }
    }
    return printed;
  }

  private static List<CustomResourceColumnDefinition> columns(String plural) throws IOException {
    return version(plural).getAdditionalPrinterColumns();
  }

  private static CustomResourceDefinitionVersion version(String plural) throws IOException {
    Path manifest = Path.of("manifests", plural + ".assay.dev.yaml");
    return Serialization.unmarshal(Files.readString(manifest), CustomResourceDefinition.class)
        .getSpec()
        .getVersions()
        .getFirst();
  }
}
