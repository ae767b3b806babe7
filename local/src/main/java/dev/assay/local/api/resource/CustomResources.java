package dev.assay.local.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.assay.local.api.resource.ResourceDefinition.Names;
import dev.assay.local.api.schema.StructuralSchema;
import dev.assay.local.api.table.PrinterColumn;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Resources from CRDs. */
public final class CustomResources {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final KubernetesSerialization YAML =
      new KubernetesSerialization(new ObjectMapper(), false);
  private static final List<String> ASSAY =
      List.of("analyticsruns", "datasets", "runclasses", "toolservers");

  private CustomResources() {}

  /** The resources of Assay, from the CRDs that clusters are given. */
  public static List<ResourceDefinition> assay() {
    return ASSAY.stream().map(CustomResources::crd).map(CustomResources::parse).toList();
  }

  private static String crd(String plural) {
    String path = "/dev/assay/api/crds/" + plural + ".assay.dev.yaml";
    try (InputStream crd = CustomResources.class.getResourceAsStream(path)) {
      if (crd == null) {
        throw new IllegalStateException("There is no CRD at " + path);
      }
      return new String(crd.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a CRD, by its first version.
   *
   * @throws IllegalArgumentException where something in it is not known here
   */
  public static ResourceDefinition parse(String yaml) {
    try {
      return read(JSON.readTree(YAML.convertToJson(yaml)).path("spec"));
    } catch (IOException e) {
      throw new IllegalArgumentException("Not a CRD", e);
    }
  }

  private static ResourceDefinition read(JsonNode spec) {
    JsonNode names = spec.path("names");
    JsonNode version = spec.path("versions").path(0);
    List<PrinterColumn> columns = new ArrayList<>(List.of(PrinterColumn.NAME));
    version
        .path("additionalPrinterColumns")
        .forEach(column -> columns.add(PrinterColumn.parse(column)));
    return new ResourceDefinition(
        spec.path("group").asText(),
        version.path("name").asText(),
        new Names(
            names.path("kind").asText(),
            names.path("plural").asText(),
            names.path("singular").asText(),
            texts(names.path("shortNames")),
            texts(names.path("categories"))),
        spec.path("scope").asText().equals("Namespaced"),
        version.path("subresources").has("status") ? Set.of("status") : Set.of(),
        ResourceDefinition.ALL_VERBS,
        List.copyOf(columns),
        StructuralSchema.parse(version.path("schema").path("openAPIV3Schema")),
        null);
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return List.copyOf(texts);
  }
}
