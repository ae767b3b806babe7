package dev.assay.local.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/** The metadata of an object. */
public final class Metadata {
  private Metadata() {}

  /** The metadata, which every object has once it was accepted. */
  public static ObjectNode of(ObjectNode object) {
    return object.withObject("/metadata");
  }

  /** A text of the metadata; empty where it is absent. */
  public static String text(JsonNode object, String field) {
    return object.path("metadata").path(field).asText("");
  }

  /** The name; empty where there is none. */
  public static String name(JsonNode object) {
    return text(object, "name");
  }

  /** The namespace; empty where there is none. */
  public static String namespace(JsonNode object) {
    return text(object, "namespace");
  }

  /** The UID; empty where there is none. */
  public static String uid(JsonNode object) {
    return text(object, "uid");
  }

  /** The resourceVersion; empty where there is none. */
  public static String resourceVersion(JsonNode object) {
    return text(object, "resourceVersion");
  }

  /** Whether the deletion was asked for. */
  public static boolean isBeingDeleted(JsonNode object) {
    return object.path("metadata").hasNonNull("deletionTimestamp");
  }

  /** Who has to let go of the object before it can be removed. */
  public static List<String> finalizers(JsonNode object) {
    List<String> finalizers = new ArrayList<>();
    object.path("metadata").path("finalizers").forEach(one -> finalizers.add(one.asText()));
    return finalizers;
  }

  /** The UIDs of the owners. */
  public static List<String> ownerUids(JsonNode object) {
    List<String> uids = new ArrayList<>();
    object
        .path("metadata")
        .path("ownerReferences")
        .forEach(owner -> uids.add(owner.path("uid").asText()));
    return uids;
  }
}
