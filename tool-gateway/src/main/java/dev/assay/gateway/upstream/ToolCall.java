package dev.assay.gateway.upstream;

import dev.assay.api.v1alpha1.ToolPermission;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of a tool.
 *
 * @param run the UID of the run
 * @param tool the tool
 * @param arguments JSON text of an object
 * @param approved the digest of the approved definition; null where there is none
 * @param permissions the permissions of tools that the run may call; null for all
 * @param resultBytes maximum bytes of the result, as JSON
 * @param timeout until when it has to end
 */
public record ToolCall(
    String run,
    String tool,
    String arguments,
    @Nullable String approved,
    @Nullable List<ToolPermission> permissions,
    int resultBytes,
    Duration timeout) {}
