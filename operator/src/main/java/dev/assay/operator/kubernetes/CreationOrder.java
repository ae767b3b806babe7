package dev.assay.operator.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.time.Instant;
import java.util.Comparator;

/**
 * The place of an object in the order of creation. Kubernetes records creation times in whole
 * seconds; the resource version orders objects of the same second and the same resource.
 *
 * @param created the creation time
 * @param version the resource version when the object was read, which is later than its creation if
 *     it has been written since; 0 if it is not a decimal number. Kubernetes 1.35 and later
 *     guarantee a decimal number
 */
public record CreationOrder(Instant created, long version) implements Comparable<CreationOrder> {
  private static final Comparator<CreationOrder> ORDER =
      Comparator.comparing(CreationOrder::created).thenComparingLong(CreationOrder::version);

  /** The place of an object that the API server has returned. */
  public static CreationOrder of(HasMetadata object) {
    ObjectMeta metadata = object.getMetadata();
    return new CreationOrder(
        Instant.parse(metadata.getCreationTimestamp()), parse(metadata.getResourceVersion()));
  }

  private static long parse(String resourceVersion) {
    try {
      return Long.parseLong(resourceVersion);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  @Override
  public int compareTo(CreationOrder other) {
    return ORDER.compare(this, other);
  }
}
