package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ObjectKey;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.api.status.FieldError;
import dev.assay.local.api.storage.ObjectStorage;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Creates objects. */
final class Creation {
  /** Without vowels and what reads like them, as Kubernetes does. */
  private static final String SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

  private static final int SUFFIX_LENGTH = 5;
  private static final int LONGEST_PREFIX = 58;

  private final ObjectStorage storage;
  private final Namespaces namespaces;
  private final PodQuota quota;
  private final Clock clock;
  private final RandomGenerator random = new SecureRandom();

  Creation(ObjectStorage storage, Namespaces namespaces, PodQuota quota, Clock clock) {
    this.storage = storage;
    this.namespaces = namespaces;
    this.quota = quota;
    this.clock = clock;
  }

  ObjectNode create(
      ResourceDefinition resource, String namespace, JsonNode body, WriteOptions options) {
    ObjectNode object = Decoder.decode(resource, namespace, body, options);
    if (!Metadata.resourceVersion(object).isEmpty()) {
      throw ApiException.badRequest("resourceVersion should not be set on objects to be created");
    }
    String name = nameOf(resource, object);
    namespaces.checkOpen(resource, namespace, name);
    Strategy strategy = Strategies.of(resource);
    setMetadata(object, name, strategy);
    if (resource.hasStatus()) {
      object.remove("status");
    }
    strategy.prepareForCreate(object);
    List<FieldError> errors =
        new ArrayList<>(
            MetadataRules.check(object, resource.names().kind().equals("Namespace"), null));
    errors.addAll(strategy.validate(object, null));
    if (!errors.isEmpty()) {
      throw ApiException.invalid(resource.reference(name), errors);
    }
    quota.check(resource, object);
    ObjectKey key = ObjectKey.of(object);
    if (options.dryRun()) {
      storage
          .get(resource, key)
          .ifPresent(
              found -> {
                throw ApiException.alreadyExists(resource.reference(name));
              });
    } else if (!storage.replace(resource, key, null, object)) {
      throw ApiException.alreadyExists(resource.reference(name));
    }
    return object;
  }

  private String nameOf(ResourceDefinition resource, ObjectNode object) {
    String name = Metadata.name(object);
    String prefix = Metadata.text(object, "generateName");
    if (!name.isEmpty()) {
      return name;
    }
    if (prefix.isEmpty()) {
      throw ApiException.invalid(
          resource.reference(""),
          List.of(
              new FieldError(
                  FieldError.ErrorType.REQUIRED,
                  "metadata.name",
                  "name or generateName is required")));
    }
    StringBuilder generated =
        new StringBuilder(prefix.substring(0, Math.min(prefix.length(), LONGEST_PREFIX)));
    for (int i = 0; i < SUFFIX_LENGTH; i++) {
      generated.append(SUFFIX_ALPHABET.charAt(random.nextInt(SUFFIX_ALPHABET.length())));
    }
    return generated.toString();
  }

  private void setMetadata(ObjectNode object, String name, Strategy strategy) {
    ObjectNode metadata = Metadata.of(object);
    metadata.remove(
        List.of("deletionTimestamp", "deletionGracePeriodSeconds", "generation", "selfLink"));
    metadata
        .put("name", name)
        .put("uid", UUID.randomUUID().toString())
        .put("creationTimestamp", Timestamps.now(clock));
    if (strategy.hasGeneration()) {
      metadata.put("generation", 1);
    }
  }
}
