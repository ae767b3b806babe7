package dev.assay.frontend.toolserver;

import dev.assay.api.v1alpha1.ToolPermission;
import org.jspecify.annotations.Nullable;

/**
 * A tool that scripts of a caller may call.
 *
 * @param digest of its definition in the output store
 * @param permission null where it is not known
 * @param summary the beginning of its description; empty where it has none
 */
public record CallableTool(
    String server,
    String name,
    String digest,
    @Nullable ToolPermission permission,
    String summary) {}
