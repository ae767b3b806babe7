package dev.assay.local.api.registry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.assay.local.api.status.FieldError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is particular about the objects of one resource. */
interface Strategy {
  /** Whether a change of anything but metadata and status makes a new generation. */
  default boolean hasGeneration() {
    return false;
  }

  /** Whether an update needs no resourceVersion. */
  default boolean allowsUnconditionalUpdate() {
    return true;
  }

  /** Whether the answer to a delete is the object, and not a Status. */
  default boolean returnsDeletedObject() {
    return false;
  }

  /** Sets what the API server sets when an object is created. */
  default void prepareForCreate(ObjectNode object) {}

  /** Brings an object into the form in which it is stored, at each write. */
  default void normalize(ObjectNode object) {}

  /**
   * What is wrong with an object.
   *
   * @param old the object before an update; absent for a create
   */
  default List<FieldError> validate(ObjectNode object, @Nullable ObjectNode old) {
    return List.of();
  }

  /** How long an object may take to end when it is deleted; 0 removes it at once. */
  default long gracePeriodSeconds(ObjectNode object, @Nullable Long asked) {
    return 0;
  }
}
