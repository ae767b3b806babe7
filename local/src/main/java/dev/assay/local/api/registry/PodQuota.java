package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.resource.ResourceDefinitions;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.api.storage.ObjectStorage;
import java.util.List;
import java.util.Set;

/** Holds ResourceQuotas, as far as they are about the number of Pods that have not ended. */
final class PodQuota {
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  private final ObjectStorage storage;
  private final ResourceDefinition pods;
  private final ResourceDefinition quotas;

  PodQuota(ObjectStorage storage, ResourceDefinitions definitions) {
    this.storage = storage;
    this.pods = definitions.core("pods");
    this.quotas = definitions.core("resourcequotas");
  }

  /** Refuses a Pod for which there is no room. */
  void check(ResourceDefinition resource, ObjectNode pod) {
    if (!resource.equals(pods)) {
      return;
    }
    String namespace = Metadata.namespace(pod);
    List<ObjectNode> limits = storage.list(quotas, namespace).objects();
    if (limits.isEmpty()) {
      return;
    }
    long used =
        storage.list(pods, namespace).objects().stream()
            .filter(one -> !ENDED.contains(one.path("status").path("phase").asText()))
            .count();
    for (ObjectNode quota : limits) {
      JsonNode hard = quota.path("spec").path("hard");
      for (String name : List.of("pods", "count/pods")) {
        if (hard.has(name) && used >= hard.get(name).asLong()) {
          throw ApiException.forbidden(
              pods.reference(Metadata.name(pod)),
              "exceeded quota: %s, requested: %s=1, used: %s=%d, limited: %s=%s"
                  .formatted(
                      Metadata.name(quota), name, name, used, name, hard.get(name).asText()));
        }
      }
    }
  }
}
