package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.schema.StructuralSchema;
import dev.assay.local.api.status.ApiException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.stream.Collectors;

/** Makes of what was sent an object of a resource: of the right kind, pruned, with defaults. */
final class Decoder {
  private static final KubernetesSerialization MODELS = new KubernetesSerialization();

  private Decoder() {}

  /**
   * Reads a body; the result is a copy.
   *
   * @param namespace of the request; empty where the resource has none
   * @throws ApiException where the body is not an object of that resource
   */
  static ObjectNode decode(
      ResourceDefinition resource, String namespace, JsonNode body, WriteOptions options) {
    if (!(body instanceof ObjectNode sent)) {
      throw ApiException.badRequest("the body of the request is not an object");
    }
    ObjectNode object = sent.deepCopy();
    checkType(resource, object);
    if (object.has("metadata") && !object.get("metadata").isObject()) {
      throw ApiException.badRequest("metadata is not an object");
    }
    setNamespace(resource, namespace, object);
    Metadata.of(object).remove("managedFields");
    StructuralSchema schema = resource.schema();
    if (schema == null) {
      checkModel(resource, object);
    } else {
      prune(schema, object, options);
      schema.setDefaults(object);
    }
    Strategies.of(resource).normalize(object);
    return object;
  }

  private static void checkType(ResourceDefinition resource, ObjectNode object) {
    check("API version", object.path("apiVersion").asText(""), resource.apiVersion());
    check("kind", object.path("kind").asText(""), resource.names().kind());
  }

  private static void check(String what, String sent, String expected) {
    if (!sent.equals(expected)) {
      throw ApiException.badRequest(
          "the %s in the data (%s) does not match the expected %s (%s)"
              .formatted(what, sent, what, expected));
    }
  }

  private static void setNamespace(
      ResourceDefinition resource, String namespace, ObjectNode object) {
    String sent = Metadata.namespace(object);
    if (!sent.isEmpty() && !sent.equals(namespace)) {
      throw ApiException.badRequest(
          resource.namespaced()
              ? "the namespace of the provided object does not match the namespace sent on the"
                  + " request"
              : "namespace should be empty for cluster-scoped resources");
    }
    if (resource.namespaced()) {
      Metadata.of(object).put("namespace", namespace);
    }
  }

  private static void checkModel(ResourceDefinition resource, ObjectNode object) {
    Class<? extends HasMetadata> model = resource.model();
    try {
      MODELS.convertValue(object, model);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest(
          "%s in version \"%s\" cannot be handled as a %s"
              .formatted(resource.names().kind(), resource.version(), resource.names().kind()));
    }
  }

  private static void prune(StructuralSchema schema, ObjectNode object, WriteOptions options) {
    List<String> unknown = schema.prune(object);
    if (options.strict() && !unknown.isEmpty()) {
      throw ApiException.badRequest(
          "strict decoding error: "
              + unknown.stream()
                  .map("unknown field \"%s\""::formatted)
                  .collect(Collectors.joining(", ")));
    }
  }
}
