package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.api.storage.ObjectStorage;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Which namespaces there are, and what is in them. */
final class Namespaces {
  private final ObjectStorage storage;
  private final ResourceDefinitions definitions;
  private final ResourceDefinition namespaces;

  Namespaces(ObjectStorage storage, ResourceDefinitions definitions) {
    this.storage = storage;
    this.definitions = definitions;
    this.namespaces = definitions.core("namespaces");
  }

  boolean isNamespace(ResourceDefinition resource) {
    return resource.equals(namespaces);
  }

  /** Refuses an object whose namespace is not there, or is being deleted. */
  void checkOpen(ResourceDefinition resource, String namespace, String name) {
    if (!resource.namespaced()) {
      return;
    }
    ObjectNode found =
        find(namespace).orElseThrow(() -> ApiException.notFound(namespaces.reference(namespace)));
    if (Metadata.isBeingDeleted(found)) {
      throw ApiException.forbidden(
          resource.reference(name),
          "unable to create new content in namespace %s because it is being terminated"
              .formatted(namespace));
    }
  }

  private Optional<ObjectNode> find(String namespace) {
    return storage.get(namespaces, new ObjectKey("", namespace));
  }

  /** The namespace itself, where it is being deleted and nothing is left in it. */
  Optional<ObjectNode> emptyAndBeingDeleted(String namespace) {
    return find(namespace)
        .filter(Metadata::isBeingDeleted)
        .filter(
            found -> contents().allMatch(one -> storage.list(one, namespace).objects().isEmpty()));
  }

  /** All that is in a namespace. */
  List<ObjectStorage.Owned> contentsOf(String namespace) {
    return contents()
        .flatMap(
            resource ->
                storage.list(resource, namespace).objects().stream()
                    .map(object -> new ObjectStorage.Owned(resource, object)))
        .toList();
  }

  private Stream<ResourceDefinition> contents() {
    return definitions.all().stream().filter(one -> one.namespaced() && one.isStored());
  }

  ResourceDefinition definition() {
    return namespaces;
  }
}
