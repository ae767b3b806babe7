package dev.assay.local.api.discovery;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.resource.ResourceDefinitions;
import java.util.List;
import java.util.Optional;

/**
 * As much of OpenAPI v3 as kubectl asks for before it creates: that the server checks fields, and
 * knows dry runs.
 */
public final class OpenApi {
  private static final String ROOT = "/openapi/v3";

  private final ResourceDefinitions definitions;

  /** Tells of these resources. */
  public OpenApi(ResourceDefinitions definitions) {
    this.definitions = definitions;
  }

  /**
   * The answer for a path.
   *
   * @param path such as {@code /openapi/v3/apis/assay.dev/v1alpha1}
   * @return empty where there is no document
   */
  public Optional<ObjectNode> answer(String path) {
    if (path.equals(ROOT)) {
      return Optional.of(index());
    }
    return definitions.all().stream()
        .filter(definition -> path.equals(ROOT + "/" + rootOf(definition)))
        .findFirst()
        .map(found -> document(definitions.of(found.group(), found.version())));
  }

  private static String rootOf(ResourceDefinition definition) {
    return (definition.group().isEmpty() ? "api/" : "apis/") + definition.apiVersion();
  }

  private ObjectNode index() {
    ObjectNode index = JsonNodeFactory.instance.objectNode();
    ObjectNode paths = index.putObject("paths");
    for (ResourceDefinition definition : definitions.all()) {
      String root = rootOf(definition);
      paths.putObject(root).put("serverRelativeURL", ROOT + "/" + root);
    }
    return index;
  }

  private static ObjectNode document(List<ResourceDefinition> definitions) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("openapi", "3.0.0");
    document.putObject("info").put("title", "Assay's stand-in API server").put("version", "v1");
    ObjectNode paths = document.putObject("paths");
    for (ResourceDefinition definition : definitions) {
      if (definition.isStored()) {
        describePatch(definition, paths);
      }
    }
    return document;
  }

  private static void describePatch(ResourceDefinition definition, ObjectNode paths) {
    String path =
        "/%s/%s%s/{name}"
            .formatted(
                rootOf(definition),
                definition.namespaced() ? "namespaces/{namespace}/" : "",
                definition.names().plural());
    ObjectNode patch = paths.putObject(path).putObject("patch");
    patch
        .putObject("x-kubernetes-group-version-kind")
        .put("group", definition.group())
        .put("version", definition.version())
        .put("kind", definition.names().kind());
    var parameters = patch.putArray("parameters");
    for (String name : List.of("dryRun", "fieldValidation")) {
      parameters
          .addObject()
          .put("name", name)
          .put("in", "query")
          .putObject("schema")
          .put("type", "string");
    }
    patch.putObject("responses");
  }
}
