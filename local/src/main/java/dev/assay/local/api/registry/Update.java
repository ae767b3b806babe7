package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.resource.Metadata;
import dev.assay.local.api.resource.ResourceDefinition;
import dev.assay.local.api.status.ApiException;
import dev.assay.local.api.status.FieldError;
import dev.assay.local.api.status.FieldError.ErrorType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What an object becomes by an update: a function of the object as it is and of what was sent. */
final class Update {
  private Update() {}

  /**
   * The object after the update.
   *
   * @param old the object as it is
   * @param body what was sent, or made by a patch
   * @param subresource {@code status}, or absent for the object itself
   * @return {@code old} itself where nothing changes
   * @throws ApiException where the update is refused
   */
  static ObjectNode of(
      ResourceDefinition resource,
      ObjectNode old,
      JsonNode body,
      @Nullable String subresource,
      WriteOptions options) {
    ObjectNode sent = Decoder.decode(resource, Metadata.namespace(old), body, options);
    Strategy strategy = Strategies.of(resource);
    checkPreconditions(resource, old, sent, strategy);
    ObjectNode updated =
        subresource == null ? withoutStatus(resource, old, sent) : withStatus(old, sent);
    keepSystemMetadata(old, updated);
    if (updated.equals(old)) {
      return old;
    }
    if (strategy.hasGeneration() && !content(updated).equals(content(old))) {
      Metadata.of(updated).put("generation", old.path("metadata").path("generation").asInt() + 1);
    }
    List<FieldError> errors = new ArrayList<>(MetadataRules.check(updated, false, old));
    errors.addAll(strategy.validate(updated, old));
    if (!errors.isEmpty()) {
      throw ApiException.invalid(resource.reference(Metadata.name(old)), errors);
    }
    return updated;
  }

  private static void checkPreconditions(
      ResourceDefinition resource, ObjectNode old, ObjectNode sent, Strategy strategy) {
    String name = Metadata.name(old);
    if (!Metadata.name(sent).equals(name)) {
      throw ApiException.badRequest(
          "the name of the object (%s) does not match the name on the URL (%s)"
              .formatted(Metadata.name(sent), name));
    }
    String uid = Metadata.uid(sent);
    if (!uid.isEmpty() && !uid.equals(Metadata.uid(old))) {
      throw ApiException.conflict(
          resource.reference(name),
          "Precondition failed: UID in precondition: %s, UID in object meta: %s"
              .formatted(uid, Metadata.uid(old)));
    }
    String version = Metadata.resourceVersion(sent);
    if (version.isEmpty() && !strategy.allowsUnconditionalUpdate()) {
      throw ApiException.invalid(
          resource.reference(name),
          List.of(
              new FieldError(
                  ErrorType.INVALID,
                  "metadata.resourceVersion",
                  "0: must be specified for an update")));
    }
    if (!version.isEmpty() && !version.equals(Metadata.resourceVersion(old))) {
      throw ApiException.modified(resource.reference(name));
    }
  }

  private static ObjectNode withoutStatus(
      ResourceDefinition resource, ObjectNode old, ObjectNode sent) {
    if (resource.hasStatus()) {
      copy("status", old, sent);
    }
    return sent;
  }

  private static ObjectNode withStatus(ObjectNode old, ObjectNode sent) {
    ObjectNode updated = old.deepCopy();
    copy("status", sent, updated);
    return updated;
  }

  private static void keepSystemMetadata(ObjectNode old, ObjectNode updated) {
    ObjectNode from = Metadata.of(old);
    ObjectNode to = Metadata.of(updated);
    for (String field :
        List.of(
            "uid",
            "resourceVersion",
            "creationTimestamp",
            "generation",
            "generateName",
            "deletionTimestamp",
            "deletionGracePeriodSeconds")) {
      copy(field, from, to);
    }
    to.remove("selfLink");
    if (to.path("finalizers").isEmpty()) {
      to.remove("finalizers");
    }
  }

  private static void copy(String field, ObjectNode from, ObjectNode to) {
    if (from.has(field)) {
      to.set(field, from.get(field));
    } else {
      to.remove(field);
    }
  }

  private static ObjectNode content(ObjectNode object) {
    ObjectNode content = object.deepCopy();
    content.remove(List.of("metadata", "status"));
    return content;
  }
}
