package dev.assay.local.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;

/**
 * Which object of a resource.
 *
 * @param namespace empty for a resource of the whole cluster
 * @param name of the object
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
  private static final Comparator<ObjectKey> ORDER =
      Comparator.comparing(ObjectKey::namespace).thenComparing(ObjectKey::name);

  /** The key of an object. */
  public static ObjectKey of(JsonNode object) {
    return new ObjectKey(Metadata.namespace(object), Metadata.name(object));
  }

  @Override
  public int compareTo(ObjectKey other) {
    return ORDER.compare(this, other);
  }
}
