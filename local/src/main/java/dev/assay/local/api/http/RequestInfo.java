package dev.assay.local.api.http;

import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.status.ApiException;
import java.util.ArrayList;
import java.util.List;

/**
 * What the path of a request is about.
 *
 * @param resource which one
 * @param namespace empty for all, or where the resource has none
 * @param name of the object; empty for the collection
 * @param subresource such as {@code status}; empty for the object itself
 */
record RequestInfo(ResourceDefinition resource, String namespace, String name, String subresource) {

  /**
   * Reads a path below {@code /api} or {@code /apis}.
   *
   * @throws ApiException where nothing is there
   */
  static RequestInfo parse(String path, ResourceDefinitions definitions) {
    List<String> parts = new ArrayList<>(List.of(path.substring(1).split("/", -1)));
    boolean core = parts.removeFirst().equals("api");
    String group = core ? "" : take(parts);
    String version = take(parts);
    String namespace = "";
    if (parts.size() > 2 && parts.getFirst().equals("namespaces") && !isOfNamespace(parts.get(2))) {
      take(parts);
      namespace = take(parts);
    }
    ResourceDefinition resource =
        definitions.find(group, version, take(parts)).orElseThrow(ApiException::noSuchPath);
    String name = parts.isEmpty() ? "" : take(parts);
    String subresource = parts.isEmpty() ? "" : take(parts);
    if (!parts.isEmpty()
        || (!subresource.isEmpty() && !resource.subresources().contains(subresource))) {
      throw ApiException.noSuchPath();
    }
    RequestInfo info = new RequestInfo(resource, namespace, name, subresource);
    boolean placed = resource.namespaced() == !namespace.isEmpty();
    boolean allNamespaces = resource.namespaced() && name.isEmpty();
    if (!placed && !allNamespaces) {
      throw ApiException.noSuchPath();
    }
    return info;
  }

  /** {@code /namespaces/NAME/status} is about the namespace, and not about something in it. */
  private static boolean isOfNamespace(String part) {
    return part.equals("status");
  }

  private static String take(List<String> parts) {
    if (parts.isEmpty() || parts.getFirst().isEmpty()) {
      throw ApiException.noSuchPath();
    }
    return parts.removeFirst();
  }

  ObjectKey key() {
    return new ObjectKey(namespace, name);
  }

  boolean isCollection() {
    return name.isEmpty();
  }
}
