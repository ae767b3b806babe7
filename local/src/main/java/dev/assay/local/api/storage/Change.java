package dev.assay.local.api.storage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/**
 * One change of one object. Objects that were stored are never changed; a change stores another.
 *
 * @param revision the resourceVersion that the change made
 * @param before the object as it was; absent where it was created
 * @param object the object as it is, or as it was at last where it was deleted
 * @param deleted whether it was deleted
 */
public record Change(
    long revision, @Nullable ObjectNode before, ObjectNode object, boolean deleted) {}
