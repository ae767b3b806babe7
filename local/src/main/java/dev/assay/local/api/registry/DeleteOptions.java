package dev.assay.local.api.registry;

import dev.assay.local.api.status.ApiException;
import org.jspecify.annotations.Nullable;

/**
 * How an object is to be deleted.
 *
 * @param gracePeriodSeconds how long a Pod may take to end; absent for its own period
 * @param propagation what becomes of its dependents
 * @param uid that it must have; absent where any will do
 * @param resourceVersion that it must have; absent where any will do
 * @param dryRun whether all is checked and nothing deleted
 */
public record DeleteOptions(
    @Nullable Long gracePeriodSeconds,
    Propagation propagation,
    @Nullable String uid,
    @Nullable String resourceVersion,
    boolean dryRun) {
  /** What becomes of dependents. Foreground is done as background: nothing here takes time. */
  public enum Propagation {
    ORPHAN,
    BACKGROUND,
    FOREGROUND;

    /**
     * The policy of that name.
     *
     * @param name as requests have it; empty for the default
     * @throws ApiException where there is none
     */
    public static Propagation parse(String name) {
      return switch (name) {
        case "", "Background" -> BACKGROUND;
        case "Foreground" -> FOREGROUND;
        case "Orphan" -> ORPHAN;
        default ->
            throw ApiException.badRequest(
                "propagationPolicy is Orphan, Background or Foreground, not " + name);
      };
    }
  }

  /** What nobody has asked for in particular. */
  public static final DeleteOptions DEFAULT =
      new DeleteOptions(null, Propagation.BACKGROUND, null, null, false);
}
