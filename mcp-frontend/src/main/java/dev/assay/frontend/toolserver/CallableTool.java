package dev.assay.frontend.toolserver;

import dev.assay.api.v1alpha1.ToolPermission;
import org.jspecify.annotations.Nullable;

/**
 * A tool that scripts of a caller may call, as it was approved.
 *
 * @param digest of its approved definition in the output store
 * @param permission null where it is not known
 * @param summary the beginning of its description; empty where it has none
 * @param isChanged whether its server lists another definition, so that calls are refused
 */
public record CallableTool(
    String server,
    String name,
    String digest,
    @Nullable ToolPermission permission,
    String summary,
    boolean isChanged) {}
