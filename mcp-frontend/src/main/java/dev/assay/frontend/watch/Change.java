package dev.assay.frontend.watch;

/**
 * What was last seen of an object.
 *
 * @param object its state; the last one known where it was deleted
 * @param deleted whether it is gone
 * @param <T> its kind
 */
public record Change<T>(T object, boolean deleted) {}
